import type { DefinedIn, SourceLocation } from "@jackfield/mcp-core";
import type { JsonPath } from "../documents/json-path.ts";
import type { VariableDialect } from "../variables.ts";
import type { EntryDialect } from "./entry-dialect.ts";

/** Where an entry stands, and how it is to be read. */
export interface EntryPlace {
  readonly name: string;
  readonly definedIn: DefinedIn;
  /** What a relative `cwd`, `command` or `envFile` is relative to. */
  readonly directory: string;
  /** Written in code, so that it may hold a server itself. */
  readonly inCode: boolean;
  readonly dialect: EntryDialect;
  readonly variables: VariableDialect;
  /** The system it is read for. */
  readonly platform: NodeJS.Platform;
  /** The place of something inside the entry; the empty path is the entry itself. */
  locate(path: JsonPath): SourceLocation;
}
