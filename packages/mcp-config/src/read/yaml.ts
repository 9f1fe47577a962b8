import { isRecord } from "@jackfield/mcp-core";
import { isAlias, isMap, isScalar, isSeq, type Node, parseDocument, type YAMLMap, type YAMLSeq } from "yaml";
import { invalidSource } from "../find/diagnostics.ts";
import type { ParsedText } from "./document.ts";
import {
  createMap,
  DEEPEST_NESTING,
  FORBIDDEN_KEY,
  type JsonMap,
  type JsonPath,
  TOO_DEEP,
} from "./json-value.ts";
import { lineFinder, type Place, type PlaceBranch, type PlaceTree, placesIn } from "./places.ts";

/** How many values aliases may add to a document. A few nested aliases can grow into billions of values. */
const MOST_ALIASED_VALUES = 10_000;

/**
 * Parses YAML 1.2: one document, names unique, no tags that make objects. Aliases are followed and `<<` merges.
 *
 * @throws McpError `MCP_CONFIG_INVALID` with line and column of the first fault; the text itself is never quoted.
 */
export function parseYaml(text: string, file: string): ParsedText {
  const placeOf = lineFinder(text);
  const parsed = parseSafely(text, file);
  const [fault] = parsed.errors;
  if (fault) {
    const { code, pos } = fault;
    throw invalidSource({ file, ...placeOf(pos[0]) }, `this is not valid YAML: ${describeFault(code)}.`);
  }
  const reader = new YamlReader(file, placeOf);
  const { value, tree } =
    parsed.contents === null ? { value: undefined, tree: 0 } : reader.read(parsed.contents, [], 0);
  return {
    // A document of comments only has the root `null`, as does one that contains `null`.
    root: value === null && text.replace(/^\s*(?:#.*)?$/gm, "").trim() === "" ? undefined : value,
    forbidden: reader.forbidden,
    findPlaces: async () => placesIn(file, placeOf, tree),
  };
}

function parseSafely(text: string, file: string) {
  try {
    return parseDocument(text, {
      prettyErrors: false,
      logLevel: "error",
      // It compares each key with each, so a long map would take hours; ordered maps do the same. The reader looks for repeated names.
      uniqueKeys: false,
      resolveKnownTags: false,
      customTags: (tags) => tags.filter((tag) => typeof tag === "string" || !tag.tag.endsWith(":omap")),
    });
  } catch {
    // The parser recurses, so very deep nesting ends in a stack overflow.
    throw invalidSource({ file }, "this is not valid YAML, or it is nested too deeply.");
  }
}

/** The parser's codes are words in capitals, such as `DUPLICATE_KEY`; its messages quote the file. */
function describeFault(code: string): string {
  return code.toLowerCase().replaceAll("_", " ");
}

interface PlacedValue {
  readonly value: unknown;
  readonly tree: PlaceTree;
}

class YamlReader {
  readonly forbidden: JsonPath[] = [];
  readonly #file: string;
  readonly #placeOf: (offset: number) => Place;
  /** The anchored nodes read so far; an alias refers to the last one of its name. */
  readonly #anchored = new Map<string, Node>();
  #aliasDepth = 0;
  #aliasedValues = 0;

  constructor(file: string, placeOf: (offset: number) => Place) {
    this.#file = file;
    this.#placeOf = placeOf;
  }

  /** @param offset - that of its key, or of the element itself; a value reached through an alias has the place of the alias */
  read(node: unknown, path: JsonPath, offset: number): PlacedValue {
    if (this.#aliasDepth > 0) this.#countAliased(offset);
    if (path.length >= DEEPEST_NESTING) throw this.#fault(offset, TOO_DEEP);
    if ((isScalar(node) || isSeq(node) || isMap(node)) && node.anchor) this.#anchored.set(node.anchor, node);
    if (isScalar(node)) return { value: scalarOf(node.value, node.source), tree: offset };
    if (isSeq(node)) return this.#readList(node, path, offset);
    if (isMap(node)) return this.#readMap(node, path, offset);
    return isAlias(node) ? this.#readAliased(node.source, path, offset) : { value: null, tree: offset };
  }

  #readList({ items }: YAMLSeq, path: JsonPath, offset: number): PlacedValue {
    const inner: PlaceTree[] = [];
    const value = items.map((item, index) => {
      const element = this.read(item, [...path, index], this.#offsetOf(item, offset));
      inner.push(element.tree);
      return element.value;
    });
    return { value, tree: { offset, inner } };
  }

  #readMap({ items }: YAMLMap, path: JsonPath, offset: number): PlacedValue {
    const map = createMap();
    const inner: PlaceBranch["inner"] = new Map<string, PlaceTree>();
    const names = new Set<string>();
    for (const { key, value } of items) {
      const name = this.#nameOf(key);
      const keyOffset = this.#offsetOf(key, offset);
      if (this.#hasName(key) && names.size === names.add(name).size) {
        throw this.#fault(startOf(key) ?? offset, "this is not valid YAML: duplicate key.");
      }
      if (name === FORBIDDEN_KEY) {
        this.forbidden.push([...path, name]);
        inner.set(name, keyOffset);
        continue;
      }
      const member = this.read(value, [...path, name], keyOffset);
      inner.set(name, member.tree);
      if (name === "<<") mergeInto(map, member.value);
      else map[name] = member.value;
    }
    return { value: map, tree: { offset, inner } };
  }

  /** The node that an alias refers to, or the node itself. */
  #meant(node: unknown): unknown {
    return isAlias(node) ? this.#anchored.get(node.source) : node;
  }

  #nameOf(key: unknown): string {
    const named = this.#meant(key);
    if (!isScalar(named)) return "";
    // By the rules of YAML 1.1, the parser turns the merge key into a symbol.
    return typeof named.value === "symbol" ? (named.value.description ?? "") : String(named.value);
  }

  /** Whether a key names a member; one that is a list or a map does not, and neither does the merge key of YAML 1.1. */
  #hasName(key: unknown): boolean {
    const named = this.#meant(key);
    return isScalar(named) && typeof named.value !== "symbol";
  }

  #readAliased(anchor: string, path: JsonPath, offset: number): PlacedValue {
    const node = this.#anchored.get(anchor);
    if (!node) throw this.#fault(offset, "this is not valid YAML: an alias has no anchor.");
    this.#aliasDepth += 1;
    const read = this.read(node, path, offset);
    this.#aliasDepth -= 1;
    return read;
  }

  #countAliased(offset: number): void {
    this.#aliasedValues += 1;
    if (this.#aliasedValues > MOST_ALIASED_VALUES) {
      throw this.#fault(offset, `its aliases expand to more than ${MOST_ALIASED_VALUES} values.`);
    }
  }

  #offsetOf(node: unknown, otherwise: number): number {
    return this.#aliasDepth > 0 ? otherwise : (startOf(node) ?? otherwise);
  }

  #fault(offset: number, text: string): Error {
    return invalidSource({ file: this.#file, ...this.#placeOf(offset) }, text);
  }
}

/** Where a node begins in the text. */
function startOf(node: unknown): number | undefined {
  const range = typeof node === "object" && node !== null && "range" in node ? (node as Node).range : null;
  return range?.[0];
}

/** The map's own members win over merged ones, wherever they are written. */
function mergeInto(map: JsonMap, merged: unknown): void {
  for (const source of [merged].flat().filter(isRecord)) {
    for (const key of Object.keys(source)) {
      if (!Object.hasOwn(map, key)) map[key] = source[key];
    }
  }
}

/** An integer that a number would print otherwise is the text that was written: `007` is no 7, and an account is not rounded. */
function scalarOf(value: unknown, source: string | undefined): unknown {
  if (value instanceof Date) return value.toISOString();
  const isInteger = typeof value === "number" && source !== undefined && /^[+-]?\d+$/.test(source);
  return isInteger && (String(value) !== source || !Number.isSafeInteger(value)) ? source : value;
}
