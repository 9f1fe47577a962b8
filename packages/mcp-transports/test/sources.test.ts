import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const PACKAGES = fileURLToPath(new URL("../../", import.meta.url));

/** The ways to a shell: the option of `spawn`, functions that are one, and shells by name. */
const SHELLS = [
  /\bshell\s*:(?!\s*false\b)/,
  /[{,]\s*exec(?:Sync)?\s*[,}][^;]*from "node:child_process"/,
  /["'`](?:\/bin\/)?(?:ba|da|z)?sh["'`]|["'`](?:powershell|pwsh)/,
];

/** A configuration may contain a shell line whose output is a value; it runs only if the host allows it, and never starts a server. */
const SHELL_LINES = "mcp-config/src/resolve/commands.ts";

/** `jackfield completion` prints what a shell reads; these files name shells and start nothing. */
const SHELL_NAMES = [
  "jackfield/src/command-line/arguments.ts",
  "jackfield/src/command-line/completion-command.ts",
];

/** All but the program's own path, by which hosts are identified. */
const ARGUMENTS = /process\.argv(?!\[1\])/;

/** The sources of the packages that are published. */
function publishedSources(): string[] {
  const folders = readdirSync(PACKAGES).filter((name) => name !== "test-kit");
  return folders.flatMap((name) =>
    readdirSync(join(PACKAGES, name, "src"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => join(PACKAGES, name, "src", file)),
  );
}

function sourcesWith(patterns: readonly RegExp[]): string[] {
  const sources = publishedSources();
  expect(sources.length).toBeGreaterThan(100);
  const found = sources.filter((file) => {
    const source = readFileSync(file, "utf8");
    return patterns.some((pattern) => pattern.test(source));
  });
  return found.map((file) => relative(PACKAGES, file));
}

test("[threat T20] no source runs a shell, except for values that are shell lines", () => {
  const exempt = [SHELL_LINES, ...SHELL_NAMES];
  expect(sourcesWith(SHELLS).filter((file) => !exempt.includes(file))).toEqual([]);
  expect(sourcesWith([/node:child_process/]).filter((file) => SHELL_NAMES.includes(file))).toEqual([]);
});

test("[threat T23] no source reads the host program's command-line arguments", () => {
  expect(sourcesWith([ARGUMENTS])).toEqual([]);
});
