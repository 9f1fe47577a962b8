import type { ServerDefinition } from "@jackfield/mcp-core";
import { programName } from "../resolve/launchers.ts";

/**
 * What a server's command fetches and runs, so that tomorrow's code may differ from what was approved today ([T21] of the threat list):
 *
 * - `pinned`: packages in exact versions, as the registry has them;
 * - `unpinned`: `name` is fetched in whatever version is newest;
 * - `not-recognised`: nothing is known about what the command in `name` runs. That is most programs, scripts and wrappers;
 * - `none`: the server starts no program.
 */
export type LaunchedPackage =
  | { readonly kind: "pinned" | "unpinned" | "not-recognised"; readonly name: string }
  | { readonly kind: "none" };

/** A command that fetches a package and runs it. */
interface Fetcher {
  /** The words that precede the package. */
  readonly words: readonly (readonly string[])[];
  readonly isOfPython?: boolean;
}

const FETCHERS: ReadonlyMap<string, Fetcher> = new Map([
  ["npx", { words: [[]] }],
  ["bunx", { words: [[]] }],
  ["pnpx", { words: [[]] }],
  ["npm", { words: [["exec"], ["x"]] }],
  ["pnpm", { words: [["dlx"]] }],
  ["yarn", { words: [["dlx"]] }],
  ["bun", { words: [["x"]] }],
  ["uvx", { words: [[]], isOfPython: true }],
  ["uv", { words: [["tool", "run"]], isOfPython: true }],
  ["pipx", { words: [["run"]], isOfPython: true }],
]);

/** Options that name the package in place of the first argument, and one that adds another package. */
const PACKAGE_OPTIONS = new Set(["--package", "--from", "--spec"]);
const ADDED_PACKAGE = "--with";
/** Options that change nothing about which code is run. */
const HARMLESS_OPTIONS = new Set(
  "-y --yes -q --quiet -s --silent --prefer-offline --offline --isolated --".split(" "),
);
/** Further options whose value is the next word. */
const VALUE_OPTIONS = new Set("-c --call --registry --cache --index-url --python -w --workspace".split(" "));

/** A name as the registry has it, with an exact version: two numbers are a range for npm. */
const EXACT_OF_NPM = /^(?:@[\w.-]+\/)?[\w.-]+@v?\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/;
const EXACT_OF_PYTHON = /^[\w.-]+(?:\[[\w.,-]+\])?(?:==|@)\d+(?:\.\d+)+[0-9A-Za-z.+!-]*$/;
/** What is at a path changes without a version. */
const IS_PATH = /^(?:\.{0,2}[\\/]|\.{1,2}$|~[\\/]|file:|[A-Za-z]:[\\/])/;

/** Tells what a definition's command fetches. Only what is known in every part of the command line counts as pinned. */
export function launchedPackage(definition: ServerDefinition): LaunchedPackage {
  if (definition.transport !== "stdio") return { kind: "none" };
  const { command, args = [] } = definition;
  const unknown = { kind: "not-recognised", name: command } as const;
  const fetcher = FETCHERS.get(programName(command));
  const words = fetcher?.words.find((beginning) => beginning.every((word, index) => args[index] === word));
  if (fetcher === undefined || words === undefined) return unknown;
  const { packages, isKnown } = packagesIn(args.slice(words.length), fetcher);
  const exact = fetcher.isOfPython ? EXACT_OF_PYTHON : EXACT_OF_NPM;
  const unpinned = packages.find((name) => !exact.test(name) && !IS_PATH.test(name));
  if (unpinned !== undefined) return { kind: "unpinned", name: unpinned };
  if (!isKnown || packages.length === 0 || packages.some((name) => IS_PATH.test(name))) return unknown;
  return { kind: "pinned", name: packages.join(" ") };
}

function packagesIn(args: readonly string[], { isOfPython = false }: Fetcher) {
  const packages: string[] = [];
  let isNamed = false;
  let isKnown = true;
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? "";
    if (HARMLESS_OPTIONS.has(arg)) continue;
    if (!arg.startsWith("-")) {
      if (!isNamed) packages.push(arg);
      break;
    }
    const [option = "", value = args[index + 1]] = arg.split(/=(.*)/s, 2);
    const isPackage = PACKAGE_OPTIONS.has(option) || (option === "-p" && !isOfPython);
    if (isPackage || option === ADDED_PACKAGE) packages.push(value ?? "");
    else isKnown = false;
    isNamed ||= isPackage;
    const takesNext = isPackage || option === ADDED_PACKAGE || option === "-p" || VALUE_OPTIONS.has(option);
    if (takesNext && !arg.includes("=")) index += 1;
  }
  return { packages, isKnown };
}
