import { createMap } from "./documents/json-value.ts";

/** Variables by name, as `process.env` has them. */
export type Environment = { readonly [name: string]: string | undefined };

/** `true`: everything; a list: these names. They come on top of the safe ones. */
export type InheritEnv = boolean | readonly string[];

/**
 * What a child needs to find programs, its home and its language, and nothing that is usually secret. The first six are
 * those of the official SDK. `LC_*` is spelled out, because the prefix is a known way to smuggle other values through.
 */
const SAFE_ON_POSIX: readonly string[] = [
  "HOME",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "USER",
  "TMPDIR",
  "TZ",
  "LANG",
  "LANGUAGE",
  "LC_ALL",
  "LC_COLLATE",
  "LC_CTYPE",
  "LC_MESSAGES",
  "LC_MONETARY",
  "LC_NUMERIC",
  "LC_TIME",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_STATE_HOME",
];

/** The official SDK's list, and `TMP`. */
const SAFE_ON_WINDOWS: readonly string[] = [
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATH",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROGRAMFILES(X86)",
  "PROGRAMW6432",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
];

/**
 * Returns this process's current environment, with one copy for all calls in the same turn: each access to `process.env` is a slow
 * native call, and each of a thousand servers that start together needs dozens.
 */
export function createCurrentEnvironment(): () => Environment {
  let current: Environment | undefined;
  return () => {
    if (process.platform === "win32") return process.env; // A copy would know each variable in one spelling only.
    if (current !== undefined) return current;
    current = { ...process.env };
    queueMicrotask(() => {
      current = undefined;
    });
    return current;
  };
}

/** Whether every child gets the variable anyway, so that its value is widely known and no secret. */
export function isCommonVariable(name: string, platform: NodeJS.Platform): boolean {
  const safe = platform === "win32" ? SAFE_ON_WINDOWS : SAFE_ON_POSIX;
  return safe.includes(canonicalName(name, platform));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a name may not contain
const NO_PART_OF_NAMES = /[=\u0000-\u001f\u007f-\u009f]/;

/** Why a text cannot name a variable of a process, or `undefined` if it can. */
export function environmentNameFault(name: string): string | undefined {
  if (name === "") return "is not a valid variable name";
  return NO_PART_OF_NAMES.test(name)
    ? "contains a character that is not allowed in a variable name"
    : undefined;
}

/** Merges two sets of variables; where both have a name, the upper value counts. */
export function layEnvironment(
  upper: { readonly [name: string]: string },
  lower: Environment,
  platform: NodeJS.Platform,
): { [name: string]: string } {
  const named = new Set(Object.keys(upper).map((name) => canonicalName(name, platform)));
  const layered = createMap<string>();
  for (const name of Object.keys(lower)) {
    const value = lower[name];
    if (value !== undefined && !named.has(canonicalName(name, platform))) layered[name] = value;
  }
  for (const name of Object.keys(upper)) layered[name] = upper[name] as string;
  return layered;
}

/**
 * The whole environment of a child: the safe part of the parent's, what `inheritEnv` adds, and on top the variables of the server's
 * entry. Inherited values that begin with `()` are exported shell functions and are left out.
 */
export function childEnvironment(
  parent: Environment,
  inheritEnv: InheritEnv,
  own: { readonly [name: string]: string },
  platform: NodeJS.Platform,
): { [name: string]: string } {
  const inherited = createMap<string>();
  for (const name of inheritedNames(parent, inheritEnv, platform)) {
    const value: unknown = parent[name]; // A name that is not the parent's own may be a function of its prototype.
    if (typeof value === "string" && !value.startsWith("()")) inherited[name] = value;
  }
  return isEmpty(own) ? inherited : layEnvironment(own, inherited, platform);
}

function isEmpty(values: Environment): boolean {
  for (const _name in values) return false;
  return true;
}

/** Variables are case-insensitive on Windows; with two spellings of one, the choice would be left to chance. */
function canonicalName(name: string, platform: NodeJS.Platform): string {
  return platform === "win32" ? name.toUpperCase() : name;
}

/**
 * The names that may be inherited, some of which the parent may not have. If names have only one spelling, they are looked up
 * without listing the parent: each access to `process.env` is a slow native call, and there are often hundreds of variables.
 */
function inheritedNames(
  parent: Environment,
  inheritEnv: InheritEnv,
  platform: NodeJS.Platform,
): readonly string[] {
  if (inheritEnv === true) return Object.keys(parent);
  const safe = platform === "win32" ? SAFE_ON_WINDOWS : SAFE_ON_POSIX;
  const wanted = inheritEnv === false ? safe : [...safe, ...inheritEnv];
  if (platform !== "win32") return wanted;
  const allowed = new Set(wanted.map((name) => canonicalName(name, platform)));
  return Object.keys(parent).filter((name) => allowed.has(canonicalName(name, platform)));
}
