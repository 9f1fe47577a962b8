import { win32 } from "node:path";
import type { ServerDefinition } from "@jackfield/mcp-core";

/** Commands that fetch a package and run it, with the subcommands that may precede the package. */
const RUNNERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["npx", []],
  ["bunx", []],
  ["pnpx", []],
  ["uvx", []],
  ["pipx", ["run"]],
  ["npm", ["exec", "x"]],
  ["pnpm", ["dlx", "exec"]],
  ["yarn", ["dlx"]],
  ["bun", ["x"]],
  ["uv", ["tool", "run", "x"]],
]);

/** Options of those commands that name the package themselves. */
const PACKAGE_OPTIONS = new Set(["-p", "--package", "--from", "--spec"]);
/** Options whose value is the next word. */
const VALUE_OPTIONS = new Set([
  "-c",
  "--call",
  "--registry",
  "--cache",
  "--index-url",
  "--python",
  "-w",
  "--workspace",
  "--with",
]);
const EXACT = /^v?\d+\.\d+(?:\.\d+)?(?:[-+.][0-9A-Za-z.+-]+)?$/;

/**
 * The package that a command fetches in its newest version, so that tomorrow's code may differ from what was approved today ([T21]
 * of the threat list); `undefined` if it names an exact version or fetches nothing.
 */
export function unpinnedPackage(definition: ServerDefinition): string | undefined {
  if (definition.transport !== "stdio") return undefined;
  const command = win32
    .basename(definition.command)
    .toLowerCase()
    .replace(/\.(?:cmd|exe|bat|ps1)$/, "");
  const words = RUNNERS.get(command);
  if (words === undefined) return undefined;
  const args = definition.args ?? [];
  if (words.length > 0 && !words.includes(args[0] ?? "")) return undefined;
  const named = packageIn(args, words);
  return named === undefined || isPinned(named) ? undefined : named;
}

function packageIn(args: readonly string[], words: readonly string[]): string | undefined {
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? "";
    const [option = "", value] = arg.split("=", 2);
    if (PACKAGE_OPTIONS.has(option)) return value ?? args[index + 1];
    if (VALUE_OPTIONS.has(option)) index += value === undefined ? 1 : 0;
    else if (!arg.startsWith("-") && !words.includes(arg)) return arg;
  }
  return undefined;
}

function isPinned(named: string): boolean {
  const isPath = /^(?:\.{0,2}\/|~\/|file:|[A-Za-z]:\\)/.test(named);
  if (isPath) return true;
  const [, python] = named.split("==", 2);
  if (python !== undefined) return EXACT.test(python);
  const at = named.lastIndexOf("@");
  return at > 0 && EXACT.test(named.slice(at + 1));
}
