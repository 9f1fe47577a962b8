import { McpError, type McpErrorDetails } from "./mcp-error.ts";
import { isRecord } from "./values.ts";

/** What the value of an option must be. */
export interface OptionKind {
  /** As words: "a function", "a list of names". */
  readonly what: string;
  fits(value: unknown): boolean;
  /** The options of a group, by name. An instance of a class is not looked into. */
  readonly group?: OptionKinds | undefined;
  /** Whether a value is something else than the group. */
  isOther?(value: unknown): boolean;
}

/** The options of one level, by name. */
export interface OptionKinds {
  readonly [option: string]: OptionKind;
}

/** The kinds that most options are of. */
export const optionKinds = {
  any: { what: "a value", fits: () => true },
  text: { what: "a string", fits: isText },
  name: { what: "a string that is not empty", fits: (value) => isText(value) && value !== "" },
  flag: { what: "true or false", fits: (value) => typeof value === "boolean" },
  callable: { what: "a function", fits: isFunction },
  record: { what: "an object", fits: isRecord },
  texts: optionList("strings", isText),
  callables: optionList("functions", isFunction),
} satisfies OptionKinds;

/** A number from `least` on that is not infinite: as a time, `NaN` or "1" would not fail but never or always end. */
export function optionNumber(least: number): OptionKind {
  return { what: `a finite number of at least ${least}`, fits: isFiniteFrom(least) };
}

/** A list whose elements all fit. */
export function optionList(what: string, fits: (element: unknown) => boolean): OptionKind {
  return { what: `a list of ${what}`, fits: (value) => Array.isArray(value) && value.every(fits) };
}

/** One of these values. */
export function optionChoice(...choices: readonly unknown[]): OptionKind {
  return {
    what: alternatives(choices.map((choice) => JSON.stringify(choice))),
    fits: (value) => choices.includes(value),
  };
}

/** An object with these options and no others. */
export function optionGroup(group: OptionKinds, what = "an object"): OptionKind {
  return { what, fits: isRecord, group };
}

/** An object with these methods, which it may inherit. */
export function optionPort(what: string, methods: readonly string[]): OptionKind {
  const fits = (value: unknown) =>
    isRecord(value) && methods.every((name) => isFunction(value[name as keyof typeof value]));
  return { what, fits };
}

/** The group is that of the first kind; it is looked into if no other kind fits. */
export function optionEither(first: OptionKind, ...others: readonly OptionKind[]): OptionKind {
  const isOther = (value: unknown) => others.some((other) => other.fits(value));
  return {
    what: alternatives([first, ...others].map(({ what }) => what)),
    fits: (value) => first.fits(value) || isOther(value),
    group: first.group,
    isOther,
  };
}

/** How options are checked. */
export interface OptionCheck {
  /** What the options belong to, for messages, such as `of server "files"`. */
  readonly of?: string | undefined;
  /** Names that options had, or that people try, each with what to write now. */
  readonly renamed?: { readonly [path: string]: string } | undefined;
}

/**
 * Checks options, which may come from untyped code, at every depth, before any is used. A value that is `undefined` counts as missing.
 *
 * @throws McpError `MCP_CONFIG_INVALID` that names the option by its path; for an unknown one it names the one that was meant. Texts and
 * objects, which may hold secrets, are not repeated.
 */
export function checkOptions(
  given: unknown,
  kinds: OptionKinds,
  { of, renamed = {} }: OptionCheck = {},
): void {
  const suffix = of === undefined ? "" : ` ${of}`;
  if (!isRecord(given)) throw invalidOption(`The options${suffix} must be an object, not ${kindOf(given)}.`);
  checkLevel(given, kinds, "");

  function checkLevel(level: object, known: OptionKinds, prefix: string): void {
    for (const [name, value] of Object.entries(level)) {
      const path = prefix + name;
      const kind = Object.hasOwn(known, name) ? known[name] : undefined;
      if (kind === undefined) throw invalidOption(unknownText(path.slice(0, 128), known, prefix));
      if (value === undefined) continue;
      if (!kind.fits(value))
        throw invalidOption(`Option "${path}"${suffix} must be ${kind.what}, not ${kindOf(value)}.`);
      const isGroup = kind.group !== undefined && kind.isOther?.(value) !== true;
      if (isGroup && isPlain(value)) checkLevel(value, kind.group, `${path}.`);
    }
  }

  function unknownText(path: string, known: OptionKinds, prefix: string): string {
    const now = Object.hasOwn(renamed, path) ? renamed[path] : undefined;
    if (now !== undefined) return `Option "${path}"${suffix} does not exist; use ${now}.`;
    const name = path.slice(prefix.length);
    const elsewhere = pathsOf(kinds, "").find((other) => other.endsWith(`.${name}`));
    const alike = mostAlike(name, Object.keys(known));
    const meant = alike === undefined ? elsewhere : prefix + alike;
    const hint =
      meant === undefined ? `there are ${Object.keys(known).sort().join(", ")}.` : `did you mean "${meant}"?`;
    return `Option "${path}"${suffix} does not exist; ${hint}`;
  }
}

/** Checks one value, such as a choice that an operation takes. @throws McpError `MCP_CONFIG_INVALID` */
export function checkOption(path: string, value: unknown, kind: OptionKind): void {
  if (!kind.fits(value)) throw invalidOption(`Option "${path}" must be ${kind.what}, not ${kindOf(value)}.`);
}

/** The error for an invalid option: `MCP_CONFIG_INVALID` in phase `config`. */
export function invalidOption(message: string, details: McpErrorDetails = {}): McpError {
  return new McpError("MCP_CONFIG_INVALID", message, { ...details, phase: "config" });
}

/** The name that is written most alike, if any is alike at all; for suggestions. */
function mostAlike(written: string, names: readonly string[]): string | undefined {
  const ranked = names.map((name) => ({ name, likeness: likeness(written, name) }));
  const [best] = ranked.sort((a, b) => b.likeness - a.likeness);
  return best !== undefined && best.likeness >= LEAST_LIKENESS ? best.name : undefined;
}

const LEAST_LIKENESS = 0.4;

/** From 0 to 1: the larger part of shared words, a shared beginning, or shared pairs of letters. */
function likeness(written: string, name: string): number {
  const [one, other] = [written.toLowerCase(), name.toLowerCase()];
  const [wanted, words] = [wordsOf(written), wordsOf(name)];
  const shared = words.filter((word) => wanted.includes(word)).length / Math.max(wanted.length, words.length);
  let begun = 0;
  while (begun < one.length && one[begun] === other[begun]) begun += 1;
  const [pairs, otherPairs] = [pairsOf(one), pairsOf(other)];
  const paired = pairs.filter((pair) => otherPairs.includes(pair)).length;
  const alike = (2 * paired) / Math.max(1, pairs.length + otherPairs.length);
  return Math.max(shared, begun / Math.max(one.length, other.length, 1), alike);
}

function alternatives(choices: readonly string[]): string {
  return [choices.slice(0, -1).join(", "), ...choices.slice(-1)].filter((part) => part !== "").join(" or ");
}

function wordsOf(name: string): string[] {
  return [...new Set(name.split(/(?=[A-Z])|[_-]/).map((word) => word.toLowerCase()))];
}

function pairsOf(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2));
}

function pathsOf(kinds: OptionKinds, prefix: string): string[] {
  return Object.entries(kinds).flatMap(([name, { group }]) => [
    prefix + name,
    ...(group === undefined ? [] : pathsOf(group, `${prefix}${name}.`)),
  ]);
}

/** Whether an object is a group of options, and no port with methods of its class. */
function isPlain(value: unknown): value is object {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function kindOf(value: unknown): string {
  if (typeof value === "number" || value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "this list";
  return typeof value === "object" ? "this object" : `this ${typeof value}`;
}

function isFiniteFrom(least: number): (value: unknown) => boolean {
  return (value) => typeof value === "number" && value >= least && value !== Number.POSITIVE_INFINITY;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}
