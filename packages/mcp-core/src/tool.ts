import type { JsonObject, JsonValue } from "./values.ts";

/**
 * What a server claims about a tool (MCP `ToolAnnotations`). Hints, not promises: they are believed only where the
 * server's limits say `trustAnnotations`.
 */
export type ToolAnnotations = {
  title?: string | undefined;
  readOnlyHint?: boolean | undefined;
  destructiveHint?: boolean | undefined;
  idempotentHint?: boolean | undefined;
  openWorldHint?: boolean | undefined;
};

/** The JSON Schema of a tool's arguments. The root is always an object; everything else is whatever JSON the server sent. */
export type ToolInputSchema = {
  type: "object";
  properties?: { [name: string]: JsonValue } | undefined;
  required?: string[] | undefined;
  [keyword: string]: unknown;
};

/** A tool as its server describes it, byte for byte: fields this version does not know are kept. */
export type ToolDefinition = {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: ToolInputSchema;
  outputSchema?: { [keyword: string]: unknown } | undefined;
  annotations?: ToolAnnotations | undefined;
  _meta?: JsonObject | undefined;
};

/** A tool as Jackfield offers it. */
export interface ToolDescriptor {
  /** The exposed name: unique in its source, `[A-Za-z0-9_-]`, at most 64 characters. */
  readonly name: string;
  /** The server's name as configured. */
  readonly server: string;
  /** The name that goes on the wire. */
  readonly originalName: string;
  /** The server's description, else its title, else an empty string. */
  readonly description: string;
  readonly definition: ToolDefinition;
  /** `cache`: known from an earlier session; calling it waits for the connection. */
  readonly origin: "live" | "cache";
  /** True if a call must be approved before it is made. */
  readonly requiresApproval: boolean;
  /** `false`: its server's limits say that arguments are sent unchecked. */
  readonly checkArguments?: false | undefined;
}
