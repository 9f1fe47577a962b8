import { basename, delimiter, extname, resolve } from "node:path";
import type { InlineServer } from "@jackfield/mcp-config";
import { fileSystem } from "@jackfield/mcp-core/node";
import { UsageError } from "./wrong-usage.ts";

/** A server that was typed where others name one: by its address, or by its command. */
export interface AdHocServer {
  readonly name: string;
  readonly server: InlineServer;
}

/** The programs for which a file is no program by itself. */
const INTERPRETERS: { readonly [extension: string]: readonly string[] } = {
  ".js": [process.execPath],
  ".mjs": [process.execPath],
  ".cjs": [process.execPath],
  ".ts": [process.execPath],
  ".mts": [process.execPath],
  ".py": ["python3"],
};

/** The server that a word means by itself: an address, a path, or a command with its arguments. `undefined` if it is a name. */
export function adHocServer(word: string, cwd = "."): AdHocServer | undefined {
  if (/^https?:\/\//i.test(word)) return remoteServer(word);
  const isPath = /^(?:\.{1,2}|~)?[\\/]|^[A-Za-z]:[\\/]/.test(word);
  if (!isPath && !/\s/.test(word)) return undefined;
  const words = isPath && fileSystem.existsSync(resolve(cwd, word)) ? [word] : wordsOf(word);
  // A name may have spaces as well, and begins with a program's name hardly ever.
  return isPath || isInstalled(words[0] ?? "") ? commandServer(words, cwd) : undefined;
}

/** Whether a program of this name is on the `PATH`, or is a path itself. */
function isInstalled(program: string): boolean {
  if (/[\\/]/.test(program)) return true;
  const { PATH = "", PATHEXT = "" } = process.env;
  const endings = process.platform === "win32" ? PATHEXT.split(";") : [""];
  const files = PATH.split(delimiter).flatMap((folder) =>
    endings.map((end) => resolve(folder, program + end)),
  );
  return files.some((file) => fileSystem.existsSync(file));
}

/** The server of a command that stands behind `--`. */
export function commandServer([command = "", ...args]: readonly string[], cwd = "."): AdHocServer {
  const file = resolve(cwd, command);
  const before = INTERPRETERS[extname(command)];
  const server =
    before !== undefined && fileSystem.existsSync(file)
      ? { command: before[0] ?? command, args: [...before.slice(1), file, ...args], cwd: "." }
      : { command, args, cwd: "." };
  return { name: nameOf([command, ...args]), server };
}

function remoteServer(address: string): AdHocServer {
  const url = URL.parse(address);
  if (url === null) throw new UsageError("The address of the server is not a valid URL.");
  return { name: url.hostname, server: { url: address } };
}

/** Runners of packages: the package says more than they do. */
const RUNNERS = /^(?:npx|bunx|uvx|pipx|node|bun|deno|python3?|pnpm|yarn|run|dlx|exec|x)$/;

/** The last part of the first word that is neither an option nor a runner, without version and extension. */
function nameOf(words: readonly string[]): string {
  const word = words.find((one) => !one.startsWith("-") && !RUNNERS.test(basename(one))) ?? words[0] ?? "";
  const name = basename(word)
    .replace(/(?<=.)@[^@]*$/, "")
    .replace(/\.(?:[cm]?[jt]s|py)$/, "");
  // The first word that is no option may be a program text, as of "node -e".
  return /^[\w.-]{1,64}$/.test(name) ? name : "server";
}

/** The words of a command, of which quotation marks keep some together. */
function wordsOf(text: string): readonly string[] {
  return [...text.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replace(/["']/g, ""));
}
