import { createMap, fieldName, type JsonMap, type JsonPath } from "../read/json-value.ts";
import type { EntryContext } from "./entry.ts";
import { placeInEntry } from "./entry-dialect.ts";
import { quote, quoteName } from "./server-name.ts";

/** Why an entry cannot be used. Whoever has the entry's document turns it into an `McpError` with file, line and column. */
export class EntryFault extends Error {
  /** Where in the entry, in the file's own names; the empty path is the entry itself. */
  readonly path: JsonPath;

  /** @param message - a sentence that names the field */
  constructor(path: JsonPath, message: string) {
    super(message);
    this.name = "EntryFault";
    this.path = path;
  }
}

/**
 * Makes the fault for a path inside an entry. The text goes on about what stands there, unless it is a whole sentence, as it is for the
 * empty path.
 */
export type FaultAt = (path: JsonPath, text: string, isSentence?: boolean) => EntryFault;

/** A part of an entry that could not be read, and without which the server is used, or switched off. */
export interface LeftOut {
  /** In the file's own names. */
  readonly path: JsonPath;
  readonly text: string;
  /** A lost variable is an error. */
  readonly severity?: "error" | undefined;
}

/** What is found out while an entry is read. */
export class EntryReading {
  readonly leftOut: LeftOut[] = [];
  /** The fields that are not read, as written; `undefined` if there are none. */
  rest: JsonMap | undefined;
  /** Whether every switch and every list of tools could be read. */
  isReadable = true;
  readonly strict: boolean;
  readonly inCode: boolean;
  readonly faultAt: FaultAt;
  /** The entry as given. */
  readonly given: JsonMap;

  constructor({ dialect, inCode, platform }: EntryContext, given: JsonMap, entry: JsonMap) {
    this.given = given;
    this.strict = dialect.strict ?? false;
    this.inCode = inCode;
    this.faultAt = (path, text, isSentence = path.length === 0) => {
      const found = placeInEntry(path, entry, dialect, platform);
      if (isSentence) return new EntryFault(found, text);
      const isDeep = found !== path && found.length > 2;
      const subject = isDeep ? quote(fieldName(found)) : subjectOf(found.length === 0 ? path : found);
      return new EntryFault(found, `${subject} ${text}`);
    };
  }

  leave(field: string, value: unknown): void {
    this.rest ??= createMap();
    this.rest[field] = value;
  }

  /**
   * Reads something that the server can do without: where faults are tolerated, it is left out.
   *
   * @param instead - for what switches the server off if it cannot be read: what to write there
   */
  optional<T>(read: () => T | undefined, instead?: string, severity?: "error"): T | undefined {
    try {
      return read();
    } catch (fault) {
      if (this.strict || !(fault instanceof EntryFault)) throw fault;
      const outcome = instead ? `So the server is switched off; write ${instead}.` : "It is left out.";
      this.leftOut.push({ path: fault.path, text: `${fault.message} ${outcome}`, severity });
      if (instead) this.isReadable = false;
      return undefined;
    }
  }
}

/** How a message names a field of an entry, or something in one. */
export function subjectOf(path: JsonPath): string {
  const field = quote(String(path.at(0)));
  return path.length === 1 ? field : `${quoteName(String(path.at(-1)))} in ${field}`;
}
