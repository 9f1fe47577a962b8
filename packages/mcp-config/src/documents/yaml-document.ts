import { isRecord, type SourceLocation } from "@jackfield/mcp-core";
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { invalidSource } from "../sources/config-problem.ts";
import type { ConfigDocument } from "./config-document.ts";
import { DEEPEST_NESTING, FORBIDDEN_KEY } from "./document-limits.ts";
import { ForbiddenKeys } from "./forbidden-keys.ts";
import { jsonPointer } from "./json-path.ts";
import { createMap, type JsonMap } from "./json-value.ts";
import type { Place } from "./line-counter.ts";
import { isUnsafe, keepSpelling, keepSpellingIn } from "./number-spellings.ts";
import { PlacedValue } from "./placed-value.ts";

/** How many values aliases may add to a document. A few nested aliases can grow into billions of values. */
const MOST_ALIASED_VALUES = 10_000;

/**
 * Parses YAML 1.2: one document, names unique, no tags that make objects. Aliases are followed and `<<` merges.
 *
 * @throws McpError `MCP_CONFIG_INVALID` with line and column of the first fault; the text itself is never quoted.
 */
export function parseYamlDocument(text: string, file: string): ConfigDocument {
  const lines = new LineCounter();
  const parsed = parseSafely(text, file, lines);
  const [fault] = parsed.errors;
  const placeOf = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  if (fault) {
    const { code, pos } = fault;
    throw invalidSource({ file, ...placeOf(pos[0]) }, `this is not valid YAML: ${describeFault(code)}.`);
  }
  const reader = new YamlReader(file, placeOf);
  const root = parsed.contents === null ? undefined : reader.read(parsed.contents, reader.places);
  return {
    // A document of comments only has the root `null`, as does one that contains `null`.
    root: root === null && text.replace(/^\s*(?:#.*)?$/gm, "").trim() === "" ? undefined : root,
    duplicates: [],
    forbidden: reader.forbidden,
    locate: (path) => ({
      file,
      ...placeOf(reader.places.offsetOf(path)),
      pointer: jsonPointer(path),
    }),
  };
}

type ParsedYaml = ReturnType<typeof parseDocument>;

function parseSafely(text: string, file: string, lineCounter: LineCounter): ParsedYaml {
  try {
    return parseDocument(text, {
      lineCounter,
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

class YamlReader {
  readonly places = new PlacedValue();
  readonly forbidden = new ForbiddenKeys();
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

  read(node: unknown, place: PlacedValue): unknown {
    if (this.#aliasDepth > 0) this.#countAliased(place);
    if (place.depth >= DEEPEST_NESTING) {
      throw this.#fault(place, `values are nested more than ${DEEPEST_NESTING} levels deep.`);
    }
    if ((isScalar(node) || isSeq(node) || isMap(node)) && node.anchor) this.#anchored.set(node.anchor, node);
    if (isScalar(node)) return plainScalar(node.value);
    if (isSeq(node)) return this.#readList(node, place);
    if (isMap(node)) return this.#readMap(node, place);
    return isAlias(node) ? this.#readAliased(node.source, place) : null;
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

  #readList({ items }: YAMLSeq, place: PlacedValue): unknown {
    const list: unknown[] = [];
    for (const [index, item] of items.entries()) {
      list[index] = this.read(item, this.#enter(place, index, item));
      const scalar = isUnsafe(list[index]) ? this.#meant(item) : undefined;
      if (isScalar(scalar)) keepSpelling(list, String(index), list[index], scalar.source ?? "");
    }
    return list;
  }

  #readMap({ items }: YAMLMap, place: PlacedValue): unknown {
    const map = createMap();
    const names = new Set<string>();
    for (const { key, value } of items) {
      const name = this.#nameOf(key);
      if (this.#hasName(key) && names.size === names.add(name).size) throw this.#repeated(key);
      const member = this.#enter(place, name, key);
      if (name === FORBIDDEN_KEY) this.forbidden.add(() => this.#locate(member));
      else if (name === "<<") mergeInto(map, this.read(value, member));
      else {
        map[name] = this.read(value, member);
        const scalar = this.#meant(value);
        if (isScalar(scalar)) keepSpelling(map, name, map[name], scalar.source ?? "");
      }
    }
    return map;
  }

  /** Whether a key names a member; one that is a list or a map does not, and neither does the merge key of YAML 1.1. */
  #hasName(key: unknown): boolean {
    const named = this.#meant(key);
    return isScalar(named) && typeof named.value !== "symbol";
  }

  #repeated(key: unknown): Error {
    const place = this.#placeOf(offsetOf(key) ?? 0);
    return invalidSource({ file: this.#file, ...place }, "this is not valid YAML: duplicate key.");
  }

  #readAliased(anchor: string, place: PlacedValue): unknown {
    const node = this.#anchored.get(anchor);
    if (!node) throw this.#fault(place, "this is not valid YAML: an alias has no anchor.");
    this.#aliasDepth += 1;
    const value = this.read(node, place);
    this.#aliasDepth -= 1;
    return value;
  }

  #countAliased(place: PlacedValue): void {
    this.#aliasedValues += 1;
    if (this.#aliasedValues > MOST_ALIASED_VALUES) {
      throw this.#fault(place, `its aliases expand to more than ${MOST_ALIASED_VALUES} values.`);
    }
  }

  /** A member or an element. A value reached through an alias has the position of the alias. */
  #enter(container: PlacedValue, key: string | number, node: unknown): PlacedValue {
    const member = container.enter(key);
    const offset = this.#aliasDepth > 0 ? undefined : offsetOf(node);
    if (offset !== undefined) member.offset = offset;
    return member;
  }

  #locate(value: PlacedValue): SourceLocation {
    const path = value.path();
    return { file: this.#file, ...this.#placeOf(this.places.offsetOf(path)), pointer: jsonPointer(path) };
  }

  #fault(value: PlacedValue, text: string): Error {
    return invalidSource(this.#locate(value), text);
  }
}

/** Where a node begins in the text. */
function offsetOf(node: unknown): number | undefined {
  const range = typeof node === "object" && node !== null && "range" in node ? (node as Node).range : null;
  return range?.[0];
}

/** The map's own members win over merged ones, wherever they are written. */
function mergeInto(map: JsonMap, merged: unknown): void {
  for (const source of [merged].flat().filter(isRecord)) {
    for (const key of Object.keys(source)) {
      if (Object.hasOwn(map, key)) continue;
      map[key] = source[key];
      keepSpellingIn(map, key, source);
    }
  }
}

function plainScalar(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  return typeof value === "bigint" ? Number(value) : value;
}
