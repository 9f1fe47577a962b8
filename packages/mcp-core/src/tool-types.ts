import type { ToolCallResult } from "./content.ts";
import type { JsonObject } from "./json.ts";
import type { ToolRef } from "./tool-source.ts";

/**
 * The tools a program knows beforehand, by exposed name: each `{ server; tool; input; output }`. Empty here; the file that
 * `jackfield types` writes fills it by declaration merging, and calls of those tools are checked by it.
 */
// biome-ignore lint/suspicious/noEmptyInterface: others declare its members.
export interface ToolTypes {}

/** What is known of the tool that is meant; `never` for one that nothing is known of. */
type KnownTool<Ref extends ToolRef> = Ref extends keyof ToolTypes
  ? ToolTypes[Ref]
  : Ref extends { readonly server: infer Server; readonly tool: infer Tool }
    ? Extract<ToolTypes[keyof ToolTypes], { readonly server: Server; readonly tool: Tool }>
    : never;

/** The arguments of a tool; any JSON object where `ToolTypes` does not know it. */
export type ToolInput<Ref extends ToolRef> = [KnownTool<Ref>] extends [never]
  ? JsonObject
  : KnownTool<Ref> extends { readonly input: infer Input }
    ? Input
    : JsonObject;

/** What a tool answers, its structured content typed where `ToolTypes` knows it. */
export type ToolResultOf<Ref extends ToolRef> = [KnownTool<Ref>] extends [never]
  ? ToolCallResult
  : KnownTool<Ref> extends { readonly output: infer Output }
    ? Omit<ToolCallResult, "structuredContent"> & { structuredContent?: Output | undefined }
    : ToolCallResult;

/** Arguments may be left out where none is required. */
export type ToolCallParameters<Ref extends ToolRef, Options> =
  // biome-ignore lint/complexity/noBannedTypes: `{}` asks whether nothing is required.
  {} extends ToolInput<Ref>
    ? [args?: ToolInput<Ref> | undefined, options?: Options | undefined]
    : [args: ToolInput<Ref>, options?: Options | undefined];
