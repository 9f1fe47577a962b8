import { isRecord } from "@jackfield/mcp-core";
import { parse, TomlError } from "smol-toml";
import { invalidSource } from "../find/diagnostics.ts";
import type { ParsedText } from "./document.ts";
import { createMap, DEEPEST_NESTING, FORBIDDEN_KEY, type JsonPath, TOO_DEEP } from "./json-value.ts";
import { lineFinder, type PlaceBranch, type Places, type PlaceTree, placesIn } from "./places.ts";

/**
 * Parses TOML 1.1. Dates become strings, since no entry has a date.
 *
 * @throws McpError `MCP_CONFIG_INVALID` with line and column of the first fault; the text itself is never quoted.
 */
export function parseToml(text: string, file: string): ParsedText {
  const parsed = parseSafely(text, file);
  const forbidden: JsonPath[] = [];
  const places = () => findPlaces(text, file);
  const root = copy(parsed, []);
  return {
    root: Object.keys(parsed).length === 0 ? undefined : root,
    forbidden,
    findPlaces: async () => places(),
  };

  function copy(value: unknown, path: JsonPath): unknown {
    if (typeof value === "bigint") return Number(value);
    if (value instanceof Date) return value.toISOString();
    if (!Array.isArray(value) && !isRecord(value)) return value;
    if (path.length >= DEEPEST_NESTING) throw invalidSource(places()(path), TOO_DEEP);
    if (Array.isArray(value)) return value.map((element: unknown, index) => copy(element, [...path, index]));
    const map = createMap();
    for (const key of Object.keys(value)) {
      if (key === FORBIDDEN_KEY) forbidden.push([...path, key]);
      else map[key] = copy(value[key], [...path, key]);
    }
    return map;
  }
}

function parseSafely(text: string, file: string) {
  try {
    // One number that is too large must not cost all servers of the file.
    return parse(text, { maxDepth: DEEPEST_NESTING, integersAsBigInt: "asNeeded" });
  } catch (cause) {
    // The rest of the parser's message is an excerpt of the file.
    const location = cause instanceof TomlError ? { file, line: cause.line, column: cause.column } : { file };
    const reason = cause instanceof TomlError ? `: ${reasonOf(cause)}` : "";
    throw invalidSource(location, `this is not valid TOML${reason}.`);
  }
}

/** The first line of the parser's message without its own introduction, cut before anything it quotes. */
function reasonOf({ message }: TomlError): string {
  const [line = ""] = message.replace(/^Invalid TOML document: /, "").split("\n", 1);
  return line.replace(/[:"'`].*$/s, "").trim();
}

const LINE = /^([ \t]*)(?:(\[\[?)(.+?)\]|([^=#[]+)=)/;
const NAME = /"((?:[^"\\]+|\\.)*)"|'([^']*)'|[^\s.]+/g;

/** A line of a document, up to and with its line feed. */
export interface TomlLine {
  readonly from: number;
  readonly to: number;
  /** Where its header or key begins. */
  readonly at: number;
  /** The names of the table that it begins. */
  readonly header?: readonly string[] | undefined;
  /** Whether that is an element of a list of tables. */
  readonly isElement?: boolean | undefined;
  /** The names of the key that it gives a value. */
  readonly keys?: readonly string[] | undefined;
}

/** The lines of a valid document; the parser reports no places, so headers and keys are found again by their looks. */
export function tomlLines(text: string): readonly TomlLine[] {
  /** The quotes that end a text over several lines. */
  let open: string | undefined;
  let to = 0;
  return text.split(/(?<=\n)/).map((line) => {
    const from = to;
    to += line.length;
    if (open !== undefined) {
      if (withoutEscapes(line).includes(open)) open = undefined;
      return { from, to, at: from };
    }
    const [, space = "", bracket, header, key] = LINE.exec(line) ?? [];
    const at = from + space.length;
    open = ['"""', "'''"].find((quotes) => withoutEscapes(line).split(quotes).length % 2 === 0);
    if (header !== undefined) return { from, to, at, header: namesIn(header), isElement: bracket === "[[" };
    return key === undefined ? { from, to, at } : { from, to, at, keys: namesIn(key) };
  });
}

/** The lines of tables and of the keys in them; what stands inside an inline table or an array has the place of its line. */
function findPlaces(text: string, file: string): Places {
  const root: PlaceBranch = { offset: 0, inner: new Map() };
  let table = root;
  for (const { at, header, isElement = false, keys } of tomlLines(text)) {
    if (header !== undefined) table = enter(root, header, at, isElement);
    else if (keys !== undefined) enter(table, keys, at, false);
  }
  return placesIn(file, lineFinder(text), root);
}

function withoutEscapes(line: string): string {
  return line.includes("\\") ? line.replaceAll(/\\./g, "..") : line;
}

function namesIn(key: string): readonly string[] {
  return Array.from(key.matchAll(NAME), ([whole, basic, literal]) => basic ?? literal ?? whole);
}

/** The branch of a dotted name, which is added where it is new. The last table of a list is the one that is meant. */
function enter(from: PlaceBranch, names: readonly string[], offset: number, isElement: boolean): PlaceBranch {
  let branch = from;
  for (const [index, name] of names.slice(0, DEEPEST_NESTING).entries()) {
    const inner = branch.inner as Map<string, PlaceTree>;
    const known = inner.get(name) as PlaceBranch | undefined;
    const isList = isElement && index === names.length - 1;
    const next: PlaceBranch = known ?? { offset, inner: isList ? [] : new Map() };
    if (known === undefined) inner.set(name, next);
    branch = next;
    if (isList && Array.isArray(next.inner)) next.inner.push({ offset, inner: new Map() });
    if (Array.isArray(next.inner)) branch = next.inner.at(-1) as PlaceBranch;
  }
  return branch;
}
