import type { ToolCallResult } from "./content.ts";
import type { JsonObject } from "./json.ts";
import type { ToolRef } from "./tool-source.ts";

/**
 * The tools known at compile time, by exposed name, each as `{ server; tool; input; output }`. Empty here: the file that
 * `jackfield types` generates fills it by declaration merging, and TypeScript then checks calls of those tools.
 */
// biome-ignore lint/suspicious/noEmptyInterface: others declare its members.
export interface ToolTypes {}

/** The `ToolTypes` entry of the referenced tool; `never` if there is none. */
type KnownTool<Ref extends ToolRef> = Ref extends keyof ToolTypes
  ? ToolTypes[Ref]
  : Ref extends { readonly server: infer Server; readonly tool: infer Tool }
    ? Extract<ToolTypes[keyof ToolTypes], { readonly server: Server; readonly tool: Tool }>
    : never;

/** The arguments of a tool; any JSON object if the tool is not in `ToolTypes`. */
export type ToolInput<Ref extends ToolRef> = [KnownTool<Ref>] extends [never]
  ? JsonObject
  : KnownTool<Ref> extends { readonly input: infer Input }
    ? Input
    : JsonObject;

/** The result of a tool call; `structuredContent` is typed if the tool is in `ToolTypes`. */
export type ToolResultOf<Ref extends ToolRef> = [KnownTool<Ref>] extends [never]
  ? ToolCallResult
  : KnownTool<Ref> extends { readonly output: infer Output }
    ? Omit<ToolCallResult, "structuredContent"> & { structuredContent?: Output | undefined }
    : ToolCallResult;

/** The parameters of a call after the tool. The arguments may be omitted if none is required. */
export type ToolCallParameters<Ref extends ToolRef, Options> =
  // biome-ignore lint/complexity/noBannedTypes: `{}` asks whether nothing is required.
  {} extends ToolInput<Ref>
    ? [args?: ToolInput<Ref> | undefined, options?: Options | undefined]
    : [args: ToolInput<Ref>, options?: Options | undefined];
