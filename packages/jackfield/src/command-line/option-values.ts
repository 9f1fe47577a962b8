import type { InlineServer } from "@jackfield/mcp-config";
import type { CommonArguments } from "./arguments.ts";
import { didYouMean, UsageError } from "./wrong-usage.ts";

const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);

/**
 * The known word that was typed.
 *
 * @throws UsageError for any other, with those that are like it
 */
export function oneOf<T extends string>(typed: string, known: readonly T[], where: string, noun: string): T {
  const found = known.find((one) => one === typed);
  if (found !== undefined) return found;
  const hint =
    didYouMean(typed, known) ?? `it is one of ${known.map((one) => JSON.stringify(one)).join(", ")}.`;
  throw new UsageError(`${where} has no ${noun} ${JSON.stringify(typed)}; ${hint}`);
}

/**
 * The hosts in a comma-separated list.
 *
 * @throws UsageError for a host that is not known, as one that begins with `where`
 */
export function readHosts(list: string | undefined, where: string): CommonArguments["hosts"] {
  if (list === undefined || list === "all") return list;
  return list.split(",").map((host) => oneOf(host.trim(), hostIds(), where, "host"));
}

/** Loaded here, because most command lines name no hosts. */
export function hostIds(): readonly string[] {
  const { HOST_IDS } = require("@jackfield/mcp-config") as typeof import("@jackfield/mcp-config");
  return HOST_IDS;
}

export function readBytes(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError('"--max-file-bytes" needs a number of bytes, for example 50000000.');
}

const UNITS_MS: { readonly [unit: string]: number } = { "": 1, ms: 1, s: 1_000, m: 60_000 };

/** A duration in milliseconds, `0` for no limit; without a unit it is a number of milliseconds. */
export function readDuration(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text) ?? [];
  if (number === undefined)
    throw new UsageError('"--timeout" needs a time, for example 30s, 2m, or 500 for milliseconds.');
  return Math.round(Number(number) * (UNITS_MS[unit] ?? 1));
}

/** `NAME=JSON`; the name may hold anything but an equals sign and a brace, which would be JSON without a name. */
export function readServers(entries: readonly string[]): CommonArguments["servers"] {
  return Object.fromEntries(
    entries.map((entry) => {
      const [, name = "", json = ""] = /^([^={]+)=(.*)$/s.exec(entry) ?? [];
      if (name === "")
        throw new UsageError('"--mcp-server" must be NAME=JSON, for example files={"command":"my-server"}.');
      return [name, parseJson(json, `The JSON of "--mcp-server ${name}"`) as InlineServer];
    }),
  );
}

/** `NAME=VALUE`; a name that is given again has several answers. */
export function readInputs(answers: readonly string[]): CommonArguments["inputs"] {
  const inputs = new Map<string, string | readonly string[]>();
  for (const answer of answers) {
    const at = answer.indexOf("=");
    if (at < 1) throw new UsageError('"--input" must be NAME=VALUE, for example region=eu.');
    const name = answer.slice(0, at);
    const value = answer.slice(at + 1);
    const before = inputs.get(name);
    inputs.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(inputs);
}

/** @throws UsageError; the message begins with `what` and quotes none of the text, which may hold secrets */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const read = readableLength(text);
    throw new UsageError(
      `${what} ${read < text.length ? `is not valid at character ${read + 1}` : "ends too early"}.`,
    );
  }
}

/**
 * The length of the longest prefix that could begin valid JSON. Messages of the parser are no help: not all give the position, and some
 * quote the text.
 */
function readableLength(text: string): number {
  let [readable, unreadable] = [0, text.length + 1];
  while (unreadable - readable > 1) {
    const middle = (readable + unreadable) >> 1;
    if (isValidPrefix(text.slice(0, middle))) readable = middle;
    else unreadable = middle;
  }
  return readable;
}

function isValidPrefix(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as Error;
    return /end of JSON|Unterminated string/.test(message) || message.includes(`position ${text.length}`);
  }
}
