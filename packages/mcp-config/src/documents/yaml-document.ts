import type { SourceLocation } from "@jackfield/mcp-core";
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
import { type JsonPath, jsonPointer } from "./json-path.ts";
import { createMap, isMap as isObject, type JsonMap } from "./json-value.ts";
import { isUnsafe, keepSpelling, keepSpellingIn } from "./number-spellings.ts";
import { locateByPointer, type Place } from "./pointer-places.ts";

/** How many values aliases may add to a document. A few nested aliases can grow into billions of values. */
const MOST_ALIASED_VALUES = 10_000;

/**
 * Parses YAML 1.2: one document, keys unique, no tags that make objects. Aliases are followed and `<<` merges.
 *
 * @throws McpError `MCP_CONFIG_INVALID` with line and column of the first fault; the text itself is never quoted.
 */
export function parseYamlDocument(text: string, file: string): ConfigDocument {
  const lines = new LineCounter();
  const parsed = parseSafely(text, file, lines);
  const [fault] = parsed.errors;
  if (fault) {
    const { line, col } = lines.linePos(fault.pos[0]);
    throw invalidSource({ file, line, column: col }, `this is not valid YAML: ${describeFault(fault.code)}.`);
  }
  const reader = new YamlReader(file, lines);
  const root = parsed.contents === null ? undefined : reader.read(parsed.contents, []);
  return {
    // A document of comments only has the root `null`, as does one that contains `null`.
    root: root === null && text.replace(/^\s*(?:#.*)?$/gm, "").trim() === "" ? undefined : root,
    duplicates: [],
    forbidden: reader.forbidden,
    locate: (path) => locateByPointer(file, reader.places, path),
  };
}

type ParsedYaml = ReturnType<typeof parseDocument>;

function parseSafely(text: string, file: string, lineCounter: LineCounter): ParsedYaml {
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false, logLevel: "error", uniqueKeys: true });
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
  readonly places = new Map<string, Place>();
  readonly forbidden: SourceLocation[] = [];
  readonly #file: string;
  readonly #lines: LineCounter;
  /** The anchored nodes read so far; an alias refers to the last one of its name. */
  readonly #anchored = new Map<string, Node>();
  #aliasDepth = 0;
  #aliasedValues = 0;

  constructor(file: string, lines: LineCounter) {
    this.#file = file;
    this.#lines = lines;
  }

  read(node: unknown, path: JsonPath): unknown {
    if (this.#aliasDepth > 0) this.#countAliased(path);
    if (path.length >= DEEPEST_NESTING) {
      throw this.#fault(path, `values are nested more than ${DEEPEST_NESTING} levels deep.`);
    }
    if ((isScalar(node) || isSeq(node) || isMap(node)) && node.anchor) this.#anchored.set(node.anchor, node);
    if (isScalar(node)) return plainScalar(node.value);
    if (isSeq(node)) return this.#readList(node, path);
    if (isMap(node)) return this.#readMap(node, path);
    return isAlias(node) ? this.#readAliased(node.source, path) : null;
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

  #readList({ items }: YAMLSeq, path: JsonPath): unknown {
    const list: unknown[] = [];
    for (const [index, item] of items.entries()) {
      const element = [...path, index];
      this.#mark(element, item);
      list[index] = this.read(item, element);
      const scalar = isUnsafe(list[index]) ? this.#meant(item) : undefined;
      if (isScalar(scalar)) keepSpelling(list, String(index), list[index], scalar.source ?? "");
    }
    return list;
  }

  #readMap({ items }: YAMLMap, path: JsonPath): unknown {
    const map = createMap();
    for (const { key, value } of items) {
      const name = this.#nameOf(key);
      const member = [...path, name];
      this.#mark(member, key);
      if (name === FORBIDDEN_KEY) this.forbidden.push(locateByPointer(this.#file, this.places, member));
      else if (name === "<<") mergeInto(map, this.read(value, member));
      else {
        map[name] = this.read(value, member);
        const scalar = this.#meant(value);
        if (isScalar(scalar)) keepSpelling(map, name, map[name], scalar.source ?? "");
      }
    }
    return map;
  }

  #readAliased(anchor: string, path: JsonPath): unknown {
    const node = this.#anchored.get(anchor);
    if (!node) throw this.#fault(path, "this is not valid YAML: an alias has no anchor.");
    this.#aliasDepth += 1;
    const value = this.read(node, path);
    this.#aliasDepth -= 1;
    return value;
  }

  #countAliased(path: JsonPath): void {
    this.#aliasedValues += 1;
    if (this.#aliasedValues > MOST_ALIASED_VALUES) {
      throw this.#fault(path, `its aliases expand to more than ${MOST_ALIASED_VALUES} values.`);
    }
  }

  /** A value reached through an alias has the position of the alias. */
  #mark(path: JsonPath, node: unknown): void {
    const range = typeof node === "object" && node !== null && "range" in node ? (node as Node).range : null;
    if (!range || this.#aliasDepth > 0) return;
    const { line, col } = this.#lines.linePos(range[0]);
    this.places.set(jsonPointer(path), { line, column: col });
  }

  #fault(path: JsonPath, text: string): Error {
    return invalidSource(locateByPointer(this.#file, this.places, path), text);
  }
}

/** The map's own members win over merged ones, wherever they are written. */
function mergeInto(map: JsonMap, merged: unknown): void {
  for (const source of [merged].flat().filter(isObject)) {
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
