import type { SourceLocation } from "@jackfield/mcp-core";
import { type JSONVisitor, printParseErrorCode, visit } from "jsonc-parser";
import { invalidSource } from "../sources/config-problem.ts";
import {
  type ConfigDocument,
  type ConfigFormat,
  DEEPEST_NESTING,
  type DuplicateKey,
  FORBIDDEN_KEY,
} from "./config-document.ts";
import { type JsonPath, jsonPointer } from "./json-path.ts";
import { createMap, isMap, type JsonMap } from "./json-value.ts";
import type { Place } from "./pointer-places.ts";

/** The formats that this parser reads. */
export type JsonFormat = Extract<ConfigFormat, "strict-json" | "json" | "jsonc">;

/**
 * Parses JSON, with or without comments. Nothing is guessed or repaired.
 *
 * @throws McpError `MCP_CONFIG_INVALID` with line and column of the first fault; the text itself is never quoted.
 */
export function parseJsonDocument(text: string, file: string, format: JsonFormat): ConfigDocument {
  const builder = new DocumentBuilder(file, format);
  visit(text, builder.visitor, {
    disallowComments: format === "strict-json",
    allowTrailingComma: format !== "strict-json",
    allowEmptyContent: true,
  });
  return builder;
}

interface Frame {
  readonly container: JsonMap | unknown[];
  readonly places: Map<string | number, Place>;
  /** Where keys that stand more than once stand first. */
  firsts?: Map<string, Place>;
  /** The member that is being read; one that is left out is read but not kept. */
  key?: string;
  isLeftOut?: boolean;
}

class DocumentBuilder implements ConfigDocument {
  root: unknown;
  looseness?: SourceLocation;
  readonly duplicates: DuplicateKey[] = [];
  readonly forbidden: SourceLocation[] = [];
  readonly #file: string;
  readonly #format: JsonFormat;
  readonly #places = new Map<object, Frame["places"]>();
  readonly #open: Frame[] = [];
  #rootPlace: Place = { line: 1, column: 1 };
  /** A comma after which nothing has come yet. */
  #comma: Place | undefined;

  readonly visitor: JSONVisitor = {
    onObjectBegin: (_offset, _length, line, column) => this.#begin(createMap(), placeOf(line, column)),
    onObjectProperty: (name, _offset, _length, line, column) => this.#property(name, placeOf(line, column)),
    onObjectEnd: () => this.#end(),
    onArrayBegin: (_offset, _length, line, column) => this.#begin([], placeOf(line, column)),
    onArrayEnd: () => this.#end(),
    onSeparator: (character, _offset, _length, line, column) => {
      if (character === ",") this.#comma = placeOf(line, column);
    },
    onComment: (_offset, _length, line, column) => this.#remark(placeOf(line, column)),
    onLiteralValue: (value, _offset, _length, line, column) => this.#add(value, placeOf(line, column)),
    onError: (code, _offset, _length, line, column) => {
      throw this.#fault(placeOf(line, column), syntaxFault(printParseErrorCode(code)));
    },
  };

  constructor(file: string, format: JsonFormat) {
    this.#file = file;
    this.#format = format;
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
    if (this.#comma) this.#remark(this.#comma);
    this.#open.pop();
  }

  /** Strict JSON would have stopped here. */
  #remark(place: Place): void {
    this.#comma = undefined;
    if (this.#format === "json") this.looseness ??= this.#at(place, []);
  }

  #property(name: string, place: Place): void {
    this.#comma = undefined;
    const frame = this.#open.at(-1) as Frame;
    frame.key = name;
    frame.isLeftOut = name === FORBIDDEN_KEY && this.#format !== "strict-json";
    if (frame.isLeftOut) {
      this.forbidden.push(this.#at(place, this.#open.map(stepOf)));
      return;
    }
    const before = frame.places.get(name);
    frame.places.set(name, place);
    if (before) this.#repeat(frame, name, before, place);
  }

  #repeat(frame: Frame, name: string, before: Place, place: Place): void {
    frame.firsts ??= new Map();
    const first = frame.firsts.get(name) ?? before;
    frame.firsts.set(name, first);
    const path = this.#open.map(stepOf);
    this.duplicates.push({ path, first: this.#at(first, path), again: this.#at(place, path) });
  }

  #add(value: unknown, place: Place): void {
    this.#comma = undefined;
    const frame = this.#open.at(-1);
    if (!frame) {
      this.root = value;
      this.#rootPlace = place;
    } else if (Array.isArray(frame.container)) {
      frame.places.set(frame.container.length, place);
      frame.container.push(value);
    } else if (frame.key !== undefined && !frame.isLeftOut) {
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
  UnexpectedEndOfComment: "this comment is not closed",
  UnexpectedEndOfString: "this string is not closed on its line",
  UnexpectedEndOfNumber: "this number is incomplete",
  InvalidUnicode: "this string contains an incomplete \\u escape",
  InvalidEscapeCharacter: "this string contains a backslash that begins no JSON escape; write it twice",
  InvalidCharacter: "this string contains a control character; write it as an escape",
};
