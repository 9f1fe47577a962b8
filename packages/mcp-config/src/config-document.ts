import type { SourceLocation } from "@jackfield/mcp-core";
import { type JSONVisitor, printParseErrorCode, visit } from "jsonc-parser";
import { invalidSource } from "./config-problem.ts";
import { type JsonPath, jsonPointer } from "./json-path.ts";
import { createMap, isMap, type JsonMap } from "./json-value.ts";

/** Deeper than any real configuration, and shallow enough for every recursive reader. */
const DEEPEST_NESTING = 64;

/** A key that an object has more than once. */
export interface DuplicateKey {
  readonly path: JsonPath;
  /** Where the key stands first; that value is the one in the document. */
  readonly first: SourceLocation;
  /** Where it stands again. */
  readonly again: SourceLocation;
}

/** A JSON text as values without prototypes, together with where everything stands. */
export interface ConfigDocument {
  /** `undefined` if the text holds nothing but white space. */
  readonly root: unknown;
  readonly duplicates: readonly DuplicateKey[];
  /** Where a member's key or an array's element stands; of a path that leads nowhere, the deepest part that exists. */
  locate(path: JsonPath): SourceLocation;
}

/**
 * Parses strict JSON (RFC 8259): no comments, no trailing commas. Nothing is guessed or repaired.
 *
 * @throws McpError `MCP_CONFIG_INVALID` with line and column of the first fault; the text itself is never quoted.
 */
export function parseConfigDocument(text: string, file: string): ConfigDocument {
  const builder = new DocumentBuilder(file);
  visit(text, builder.visitor, {
    disallowComments: true,
    allowTrailingComma: false,
    allowEmptyContent: true,
  });
  return builder;
}

interface Place {
  readonly line: number;
  readonly column: number;
}

interface Frame {
  readonly container: JsonMap | unknown[];
  readonly places: Map<string | number, Place>;
  /** The member that is being read; `repeated` ones are read but not kept. */
  key?: string;
  repeated?: boolean;
}

class DocumentBuilder implements ConfigDocument {
  root: unknown;
  readonly duplicates: DuplicateKey[] = [];
  readonly #file: string;
  readonly #places = new Map<object, Frame["places"]>();
  readonly #open: Frame[] = [];
  #rootPlace: Place = { line: 1, column: 1 };

  readonly visitor: JSONVisitor = {
    onObjectBegin: (_offset, _length, line, column) => this.#begin(createMap(), placeOf(line, column)),
    onObjectProperty: (name, _offset, _length, line, column) => this.#property(name, placeOf(line, column)),
    onObjectEnd: () => this.#end(),
    onArrayBegin: (_offset, _length, line, column) => this.#begin([], placeOf(line, column)),
    onArrayEnd: () => this.#end(),
    onLiteralValue: (value, _offset, _length, line, column) => this.#add(value, placeOf(line, column)),
    onError: (code, _offset, _length, line, column) => {
      throw this.#fault(placeOf(line, column), syntaxFault(printParseErrorCode(code)));
    },
  };

  constructor(file: string) {
    this.#file = file;
  }

  locate(path: JsonPath): SourceLocation {
    let value = this.root;
    let place = this.#rootPlace;
    for (const step of path) {
      const found = isContainer(value) ? this.#places.get(value)?.get(step) : undefined;
      if (!found) break;
      place = found;
      value = (value as JsonMap)[step];
    }
    return { file: this.#file, ...place, pointer: jsonPointer(path) };
  }

  #begin(container: JsonMap | unknown[], place: Place): void {
    if (this.#open.length === DEEPEST_NESTING) {
      throw this.#fault(place, `values are nested more than ${DEEPEST_NESTING} levels deep.`);
    }
    this.#add(container, place);
    const places: Frame["places"] = new Map();
    this.#places.set(container, places);
    this.#open.push({ container, places });
  }

  #end(): void {
    this.#open.pop();
  }

  #property(name: string, place: Place): void {
    const frame = this.#open.at(-1) as Frame;
    const first = frame.places.get(name);
    frame.key = name;
    frame.repeated = first !== undefined;
    if (!first) {
      frame.places.set(name, place);
      return;
    }
    const path = this.#open.map(stepOf);
    this.duplicates.push({ path, first: this.#at(first, path), again: this.#at(place, path) });
  }

  #add(value: unknown, place: Place): void {
    const frame = this.#open.at(-1);
    if (!frame) {
      this.root = value;
      this.#rootPlace = place;
    } else if (Array.isArray(frame.container)) {
      frame.places.set(frame.container.length, place);
      frame.container.push(value);
    } else if (frame.key !== undefined && !frame.repeated) {
      frame.container[frame.key] = value;
    }
  }

  #at(place: Place, path: JsonPath): SourceLocation {
    return { file: this.#file, ...place, pointer: jsonPointer(path) };
  }

  #fault(place: Place, text: string): Error {
    return invalidSource({ file: this.#file, ...place }, text);
  }
}

function placeOf(line: number, column: number): Place {
  return { line: line + 1, column: column + 1 };
}

function stepOf({ container, key }: Frame): string | number {
  return Array.isArray(container) ? container.length - 1 : (key ?? "");
}

function isContainer(value: unknown): value is JsonMap | unknown[] {
  return Array.isArray(value) || isMap(value);
}

function syntaxFault(parserCode: string): string {
  return `this is not valid JSON: ${SYNTAX_FAULTS[parserCode] ?? "something is out of place here"}.`;
}

const SYNTAX_FAULTS: { readonly [parserCode: string]: string } = {
  InvalidSymbol: "this is no JSON value",
  InvalidNumberFormat: "this is no number",
  PropertyNameExpected: "a key in double quotes is expected; JSON allows no comma after the last member",
  ValueExpected: "a value is expected; JSON allows no comma after the last element",
  ColonExpected: "a colon is expected after the key",
  CommaExpected: "a comma is expected between two members or elements",
  CloseBraceExpected: "a closing brace is missing",
  CloseBracketExpected: "a closing bracket is missing",
  EndOfFileExpected: "the document has ended, but something follows",
  InvalidCommentToken: "JSON allows no comments",
  UnexpectedEndOfString: "this string is not closed on its line",
  UnexpectedEndOfNumber: "this number is incomplete",
  InvalidUnicode: "this string contains an incomplete \\u escape",
  InvalidEscapeCharacter: "this string contains a backslash that begins no JSON escape; write it twice",
  InvalidCharacter: "this string contains a control character; write it as an escape",
};
