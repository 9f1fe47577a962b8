import type { SourceLocation } from "@jackfield/mcp-core";
import type { ParseErrorCode } from "jsonc-parser";
import { invalidSource } from "../find/diagnostics.ts";
import {
  createMap,
  DEEPEST_NESTING,
  FORBIDDEN_KEY,
  type JsonMap,
  type JsonPath,
  jsonPointer,
  TOO_DEEP,
} from "./json-value.ts";
import { lineFinder, type Place, type PlaceBranch, type Places, type PlaceTree, placesIn } from "./places.ts";

/**
 * The syntax of a file.
 *
 * - `strict-json`: RFC 8259;
 * - `json`: the same, but comments and trailing commas only cause a remark;
 * - `jsonc`: comments and trailing commas are allowed;
 * - `toml`, `yaml`: TOML 1.1 and YAML 1.2, in which a repeated key is an error.
 */
export type ConfigFormat = "strict-json" | "json" | "jsonc" | "toml" | "yaml";

/** A key that an object has more than once; the last value is the one in the document. */
export interface DuplicateKey {
  /** From the hundredth on, only its first steps. */
  readonly path: JsonPath;
  /** Where the key occurs first. */
  readonly first: Place;
  /** Where it occurs again. */
  readonly again: Place;
}

/** What a parser finds in a text. */
export interface ParsedText {
  /** `undefined` if the text holds nothing but white space and comments. */
  readonly root: unknown;
  readonly duplicates?: readonly DuplicateKey[] | undefined;
  /** Where `__proto__` was left out. */
  readonly forbidden?: readonly JsonPath[] | undefined;
  /** The first comment or trailing comma in a file that ought to be strict JSON. */
  readonly looseness?: Place | undefined;
  findPlaces(): Promise<Places>;
}

/**
 * The values of a file. Every map in them is without prototype and without `__proto__`, so that a plain look-up is safe; nesting and
 * repeated keys were checked.
 */
export interface ConfigDocument extends Omit<ParsedText, "findPlaces"> {
  readonly duplicates: readonly DuplicateKey[];
  readonly forbidden: readonly JsonPath[];
  /** Where its values stand. Nearly nobody asks, so this is looked up on the first request. */
  places(): Promise<Places>;
  /** The place of a value: only file and pointer until `places` was awaited. */
  locate(path: JsonPath): SourceLocation;
  /** Whether a place was asked for before it was known. */
  readonly lacksPlaces: boolean;
}

/**
 * Parses a text. The parsers other than that of JSON are loaded on first use, because most hosts need none.
 *
 * @throws McpError `MCP_CONFIG_INVALID` with line and column of the first fault; the text itself is never quoted.
 */
export async function parseConfigDocument(
  text: string,
  file: string,
  format: ConfigFormat,
): Promise<ConfigDocument> {
  switch (format) {
    case "toml":
      return located(file, (await import("./toml.ts")).parseToml(text, file));
    case "yaml":
      return located(file, (await import("./yaml.ts")).parseYaml(text, file));
    default:
      return located(file, await parseJson(text, file, format));
  }
}

function located(file: string, parsed: ParsedText): ConfigDocument {
  const { root, duplicates = [], forbidden = [], looseness, findPlaces } = parsed;
  let finding: Promise<Places> | undefined;
  let known: Places | undefined;
  const document = {
    ...{ root, duplicates, forbidden, looseness, lacksPlaces: false },
    places() {
      finding ??= findPlaces().then((places) => {
        document.lacksPlaces = false;
        known = places;
        return places;
      });
      return finding;
    },
    locate(path: JsonPath): SourceLocation {
      if (known) return known(path);
      document.lacksPlaces = true;
      return { file, pointer: jsonPointer(path) };
    },
  };
  return document;
}

/** How many repeated keys of a file keep their whole path. A file can hold a million of them. */
const MOST_WHOLE_PATHS = 100;
/** More steps than lead from the root to an entry, in any host. */
const STEPS_TO_ENTRY = 8;

/**
 * Parses JSON, with or without comments. Nothing is guessed or repaired.
 *
 * @throws McpError `MCP_CONFIG_INVALID` with line and column of the first fault; the text itself is never quoted.
 */
async function parseJson(text: string, file: string, format: ConfigFormat): Promise<ParsedText> {
  const root = parsePlain(text);
  if (root === undefined) {
    const scanned = await scan(text, file, format);
    return { ...scanned, findPlaces: async () => scanned.places };
  }
  return { root, findPlaces: async () => (await scan(text, file, format)).places };
}

/** The value of JSON without peculiarities, as nearly all files are; `undefined` for any other text. */
function parsePlain(text: string): unknown {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return undefined;
  }
  let members = 0;
  return isPlain(root, 0) && members === writtenMembers(text) ? root : undefined;

  function isPlain(value: unknown, depth: number): boolean {
    if (typeof value !== "object" || value === null) return true;
    if (depth === DEEPEST_NESTING) return false;
    if (Array.isArray(value)) return value.every((element) => isPlain(element, depth + 1));
    const map = value as JsonMap;
    Object.setPrototypeOf(map, null);
    for (const key in map) {
      members += 1;
      // V8 may mistake a key with an escape for one of an object that it has read before: `"\""` for a single backslash.
      if (key === FORBIDDEN_KEY || ESCAPED.test(key) || !isPlain(map[key], depth + 1)) return false;
    }
    return true;
  }
}

const ESCAPED = /["\\]/;

/** How many members the objects of a valid text have, repeated ones included: as many as there are colons outside its strings. */
function writtenMembers(text: string): number {
  const unescaped = text.includes("\\") ? text.replaceAll(/\\["\\]/g, "") : text;
  return unescaped.replaceAll(/"[^"]*"/g, "").split(":").length - 1;
}

/** An object or array that is being read. */
interface Container {
  readonly value: JsonMap | unknown[];
  readonly inner: PlaceBranch["inner"];
  /** The member that is being read, and where its key stands. */
  key: string;
  keyOffset: number;
  /** The first offsets of keys that were repeated. */
  firsts?: Map<string, number>;
}

/** Reads a text with the parser that knows places, comments and repeated keys. */
async function scan(text: string, file: string, format: ConfigFormat) {
  const { visit } = await import("jsonc-parser");
  const placeOf = lineFinder(text);
  const containers: Container[] = [];
  const duplicates: DuplicateKey[] = [];
  const forbidden: JsonPath[] = [];
  let root: unknown;
  let tree: PlaceTree = 0;
  let looseness: Place | undefined;
  let openComma: number | undefined;

  const fail = (offset: number, fault: string): never => {
    throw invalidSource({ file, ...placeOf(offset) }, `this is not valid JSON: ${fault}.`);
  };
  const loosen = (offset: number, at: number, fault: string) => {
    if (format === "strict-json") fail(at, fault);
    if (format === "json") looseness ??= placeOf(offset);
  };
  const add = (value: unknown, place: PlaceTree) => {
    const container = containers.at(-1);
    if (!container) [root, tree] = [value, place];
    else if (Array.isArray(container.value)) {
      container.value.push(value);
      (container.inner as PlaceTree[]).push(place);
    } else {
      if (container.key !== FORBIDDEN_KEY) container.value[container.key] = value;
      (container.inner as Map<string, PlaceTree>).set(container.key, place);
    }
  };
  const offsetOfNext = (offset: number) => {
    openComma = undefined;
    const container = containers.at(-1);
    return container && !Array.isArray(container.value) ? container.keyOffset : offset;
  };
  const begin = (offset: number, value: Container["value"], inner: Container["inner"]) => {
    if (containers.length === DEEPEST_NESTING) throw invalidSource({ file, ...placeOf(offset) }, TOO_DEEP);
    add(value, { offset: offsetOfNext(offset), inner });
    containers.push({ value, inner, key: "", keyOffset: offset });
  };
  const end = (offset: number, what: string) => {
    if (openComma !== undefined && offset < text.length) {
      loosen(openComma, offset, `JSON allows no comma after the last ${what}`);
    }
    openComma = undefined;
    containers.pop();
  };
  const noteKey = (container: Container, key: string, offset: number, path: () => JsonPath) => {
    const before = (container.inner as Map<string, PlaceTree>).get(key);
    if (key === FORBIDDEN_KEY) forbidden.push(shortened([...path(), key], forbidden.length));
    else if (before !== undefined) {
      container.firsts ??= new Map();
      const first = container.firsts.get(key) ?? (typeof before === "number" ? before : before.offset);
      container.firsts.set(key, first);
      const where = shortened([...path(), key], duplicates.length);
      // Its places are looked up where they are asked for: of a million repeated keys, a hundred are told.
      duplicates.push({
        path: where,
        get first() {
          return placeOf(first);
        },
        get again() {
          return placeOf(offset);
        },
      });
    }
  };

  visit(
    text,
    {
      onObjectBegin: (offset) => begin(offset, createMap(), new Map()),
      onObjectProperty: (key, offset, _length, _line, _column, path) => {
        openComma = undefined;
        const container = containers.at(-1) as Container;
        noteKey(container, key, offset, path);
        container.key = key;
        container.keyOffset = offset;
      },
      onObjectEnd: (offset) => end(offset, "member"),
      onArrayBegin: (offset) => begin(offset, [], []),
      onArrayEnd: (offset) => end(offset, "element"),
      onLiteralValue: (value, offset) => add(value, offsetOfNext(offset)),
      onSeparator: (character, offset) => {
        openComma = character === "," ? offset : undefined;
      },
      onComment: (offset) => loosen(offset, offset, "JSON allows no comments"),
      onError: (code, offset) => fail(offset, FAULTS[code] ?? "this is not a JSON value"),
    },
    { allowTrailingComma: true, allowEmptyContent: true },
  );
  return { root, duplicates, forbidden, looseness, places: placesIn(file, placeOf, tree) };
}

function shortened(path: JsonPath, before: number): JsonPath {
  return before < MOST_WHOLE_PATHS ? path : path.slice(0, STEPS_TO_ENTRY);
}

/** The faults by the parser's code (`ParseErrorCode`). */
const FAULTS: { readonly [code in ParseErrorCode]?: string } = {
  1: "a value or a key in double quotes is expected",
  2: "this is not a number",
  3: "a key in double quotes is expected",
  4: "a value is expected",
  5: "a colon is expected after the key",
  6: "a comma is expected between two members or elements",
  7: "a closing brace is missing",
  8: "a closing bracket is missing",
  9: "there is more text after the end of the document",
  11: "this comment is not closed",
  12: "this string is not closed on its line",
  13: "this is not a number",
  14: "this string contains an escape that is not of JSON: \\u needs four hexadecimal digits",
  15: "this string contains a backslash that does not start a JSON escape; write it twice",
  16: "this string contains a control character; write it as an escape",
};
