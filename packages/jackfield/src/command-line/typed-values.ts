import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { isRecord, type JsonObject } from "@jackfield/mcp-core";
import { untilInterrupted } from "./interruption.ts";
import { parseJson } from "./option-values.ts";
import { argumentsOf, lookUp } from "./schema-type.ts";
import { didYouMean, UsageError } from "./wrong-usage.ts";

export interface InputOptions {
  /** Standard input; a function, because accessing it opens it. */
  readonly stdin: () => Readable;
  /** What paths are relative to. */
  readonly cwd?: string | undefined;
  /** Stops reading. */
  readonly signal: AbortSignal;
}

/** Arguments as they were typed, in which what is read from elsewhere has been read. */
export type TypedInput = readonly (
  | { readonly json: unknown }
  | { readonly key: string; readonly json: unknown }
  | { readonly key: string; readonly text: string }
)[];

const WHAT = "The JSON of the tool's arguments";

/**
 * Reads the arguments of a call: each word is a JSON object, `-` (such an object from standard input), `@FILE` (one from a file), `key=value`
 * or `key:=json`.
 *
 * @throws UsageError for invalid JSON, a file that cannot be read and any other word; and the signal's reason
 */
export async function readInput(
  words: readonly string[],
  { stdin, cwd = ".", signal }: InputOptions,
): Promise<TypedInput> {
  const input: TypedInput[number][] = [];
  for (const word of words) {
    const [, key, value] = /^([^={}[\]"]+?):=(.*)$/s.exec(word) ?? [];
    if (key !== undefined && value !== undefined) {
      input.push({ key, json: parseJson(value, `The JSON of ${JSON.stringify(key)}`) });
      continue;
    }
    const [, name, text] = /^([^={}[\]"]+)=(.*)$/s.exec(word) ?? [];
    if (name !== undefined && text !== undefined) input.push({ key: name, text });
    else if (word === "-") input.push({ json: parseJson(await readAll(stdin(), signal), WHAT) });
    else if (word.startsWith("@"))
      input.push({ json: parseJson(await readText(resolve(cwd, word.slice(1))), WHAT) });
    else if (/^\s*[{[]/.test(word)) input.push({ json: parseJson(word, WHAT) });
    else
      throw new UsageError(
        `${JSON.stringify(word)} is no argument: write key=value, key:=json, a JSON object, @FILE, or - for standard input.`,
      );
  }
  return input;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "no file";
    throw new UsageError(`The arguments in ${file} cannot be read (${reason}).`);
  }
}

async function readAll(stdin: Readable, signal: AbortSignal): Promise<string> {
  const { text } = await import("node:stream/consumers");
  // A stream that is still open would keep the process alive.
  const close = () => stdin.destroy();
  signal.addEventListener("abort", close, { once: true });
  if (signal.aborted) close();
  try {
    return await untilInterrupted(text(stdin), signal);
  } finally {
    signal.removeEventListener("abort", close);
  }
}

/**
 * The arguments as the tool's schema wants them: a text becomes a number, a truth value or a list where the schema asks for one. A key that is
 * given several times is a list. Later words win.
 *
 * @throws UsageError for a key that the tool does not have and that is like one it has
 */
export function inputFor(input: TypedInput, schema: unknown): JsonObject {
  const [first] = input;
  // Something else than an object is refused by the tool's own check, which says what it takes.
  if (input.length === 1 && first !== undefined && !("key" in first) && !isRecord(first.json))
    return first.json as JsonObject;
  const texts = new Map<string, string[]>();
  const given: Record<string, unknown> = {};
  for (const part of input) {
    if (!("key" in part)) Object.assign(given, part.json);
    else if ("json" in part) given[part.key] = part.json;
    else {
      const known = texts.get(part.key) ?? [];
      known.push(part.text);
      texts.set(part.key, known);
      given[part.key] = valuesFor(known, propertyOf(schema, part.key), schema);
    }
  }
  refuseMistyped(Object.keys(given), schema);
  return given as JsonObject;
}

function propertyOf(schema: unknown, key: string): unknown {
  const properties = isRecord(schema) ? schema.properties : undefined;
  return isRecord(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
}

/** The types that a schema names, as far as they can be seen without following conditions. */
function typesOf(schema: unknown, root: unknown, depth = 0): readonly string[] {
  if (!isRecord(schema) || depth > 4) return [];
  const { type, $ref, anyOf, oneOf, enum: values } = schema;
  if (typeof $ref === "string") return typesOf(lookUp(root, $ref), root, depth + 1);
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.map(String);
  if (Array.isArray(values)) return values.map((value) => (Array.isArray(value) ? "array" : typeof value));
  return [anyOf, oneOf].flatMap((list) =>
    Array.isArray(list) ? list.flatMap((part) => typesOf(part, root, depth + 1)) : [],
  );
}

function valuesFor(texts: readonly string[], schema: unknown, root: unknown): unknown {
  const types = typesOf(schema, root);
  const last = texts.at(-1) ?? "";
  if (types.includes("array") && !types.includes("string")) {
    const whole = texts.length === 1 && last.startsWith("[") ? parsed(last) : undefined;
    if (Array.isArray(whole)) return whole;
    const items = isRecord(schema) ? schema.items : undefined;
    return texts.map((text) => valueFor(text, typesOf(items, root)));
  }
  return valueFor(last, types);
}

/** The value that a text means where these types are taken; the text itself if it means none, so that the tool's check explains it. */
function valueFor(text: string, types: readonly string[]): unknown {
  if (types.length === 0 || types.includes("string")) return text;
  const value = parsed(text);
  const fits = types.some((type) => {
    if (type === "integer" || type === "number") return typeof value === "number";
    if (type === "boolean") return typeof value === "boolean";
    if (type === "object") return isRecord(value);
    return type === "null" ? value === null : type === "array" && Array.isArray(value);
  });
  return fits ? value : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A tool may take others than it names, but a slip of the fingers would be passed on in silence. */
function refuseMistyped(keys: readonly string[], schema: unknown): void {
  const names = argumentsOf(schema).map(({ name }) => name);
  if (names.length === 0) return;
  for (const key of keys) {
    const meant = names.includes(key) ? undefined : didYouMean(key, names);
    if (meant !== undefined && !keys.some((other) => meant.includes(JSON.stringify(other))))
      throw new UsageError(`The tool has no argument ${JSON.stringify(key)}; ${meant}`);
  }
}
