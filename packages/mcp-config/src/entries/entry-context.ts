import type { DefinedIn, SourceLocation } from "@jackfield/mcp-core";
import type { JsonPath } from "../documents/json-path.ts";
import type { VariableDialect } from "../variables.ts";
import type { EntryDialect } from "./entry-dialect.ts";

/** Where an entry stands, and how it is read. */
export interface EntryContext {
  readonly name: string;
  readonly definedIn: DefinedIn;
  /** What a relative `cwd`, `command` or `envFile` is relative to. Default: by the host's rule, for the file that wrote it. */
  readonly directory?: string | undefined;
  /** Whether it was given in code, so that it may hold a server instance. */
  readonly inCode: boolean;
  readonly dialect: EntryDialect;
  readonly variables: VariableDialect;
  /** The platform it is read for. */
  readonly platform: NodeJS.Platform;
  /** The location of something inside the entry; the empty path is the entry itself. */
  locate(path: JsonPath): SourceLocation;
}
