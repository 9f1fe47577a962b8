import {
  type CallOptions,
  type InputOptions,
  isMcpError,
  isRecord,
  type JsonObject,
  type McpError,
  type McpErrorReport,
  type TextContent,
  type ToolCallResult,
  type ToolDescriptor,
  type ToolSource,
  toolDigest,
} from "@jackfield/mcp-core";
import { type ArgumentCheck, createArgumentCheck } from "./argument-check.ts";
import { errorText, modelText, unexpectedError } from "./error-text.ts";

/**
 * A call that failed, in the form of a result, so that whatever reads results can read it: `content` is what the model is
 * told, `mcpError` the error itself as data. Plain JSON: it survives being stored or sent to a browser.
 */
export interface FailedCall {
  readonly content: [TextContent];
  readonly isError: true;
  readonly mcpError: McpErrorReport;
}

/** The result of a call made for a model: the server's own result or a `FailedCall`. */
export type ModelCallResult = (ToolCallResult & { readonly mcpError?: undefined }) | FailedCall;

/**
 * Called for each failed call, before the model is told. A string that it returns replaces the standard text for the model, and
 * is cleaned and cut in the same way. An error thrown here is not caught.
 */
export type OnCallError = (error: McpError, tool: ToolDescriptor) => string | undefined;

/** Options of a call made for a model. */
export interface ModelCallOptions
  extends InputOptions,
    Pick<CallOptions, "signal" | "onProgress" | "approved" | "timeoutMs" | "maxTotalMs" | "output"> {
  readonly onError?: OnCallError | undefined;
  /** The argument check to use. Default: a new one for each call. Reuse one to prepare the schema only once. */
  readonly checkArguments?: ArgumentCheck | undefined;
}

/**
 * Calls a tool on behalf of a model, and turns every failure but an abort into a result that the model can read, so that an
 * agent's loop goes on the same way in every framework. Arguments that the server's schema refuses are never sent, and a tool that has
 * changed since it was shown is not called.
 *
 * @param input - the arguments that the model gave; `null` or `undefined` counts as no arguments.
 * @throws McpError `MCP_ABORTED`, or what the source threw after the caller aborted. A model is never told of an abort.
 */
export function callForModel(
  source: ToolSource,
  tool: ToolDescriptor,
  input: unknown,
  { onError, checkArguments = createArgumentCheck(tool), ...options }: ModelCallOptions = {},
): Promise<ModelCallResult> {
  return callTool({ source, tool, onError, checkArguments }, withoutUndefined(input), options);
}

/** Arguments without the members that are `undefined`, which JSON does not have: programs write them for what was not given. */
export function withoutUndefined(args: unknown): unknown {
  if (!holdsUndefined(args)) return args;
  if (Array.isArray(args)) return args.map(withoutUndefined);
  const entries = Object.entries(args as JsonObject).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, withoutUndefined(value)]));
}

/** Whether a member is `undefined`, at any depth. */
function holdsUndefined(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsUndefined);
  if (!isRecord(value)) return false;
  // JSON has no inherited members, and `for…in` makes no list of the names.
  for (const name in value) if (value[name] === undefined || holdsUndefined(value[name])) return true;
  return false;
}

/** What is the same for all calls of a tool. */
export interface ToolCalls {
  readonly source: ToolSource;
  readonly tool: ToolDescriptor;
  readonly onError: OnCallError | undefined;
  readonly checkArguments: ArgumentCheck;
}

/** `callForModel` for repeated calls of one tool: the options go to the source as they are. */
export async function callTool(
  { source, tool, onError, checkArguments }: ToolCalls,
  input: unknown,
  options: CallOptions,
): Promise<ModelCallResult> {
  try {
    const args = input ?? {};
    const refusal = checkArguments(args);
    if (refusal !== undefined) throw refusal;
    // By server, tool and digest: the exposed name may belong to another tool by now, and this one may have changed since it was shown.
    const ref = { server: tool.server, tool: tool.originalName, digest: toolDigest(tool) };
    const result = await source.callTool(ref, args as JsonObject, { ...options, audience: "model" });
    return isWellFormed(result) ? result : repaired(result);
  } catch (error) {
    if (isMcpError(error, "MCP_ABORTED") || options.signal?.aborted === true) throw error;
    return failedCall(error, tool, onError);
  }
}

/** Whether a value is a `FailedCall`, also after it was stored or sent as JSON. */
export function isFailedCall(value: unknown): value is FailedCall {
  if (typeof value !== "object" || value === null || !("mcpError" in value)) return false;
  return typeof value.mcpError === "object" && value.mcpError !== null;
}

/** Whether a server's result has a list of content and does not pose as a `FailedCall`. */
function isWellFormed(result: ToolCallResult): boolean {
  return Array.isArray(result.content) && !isFailedCall(result);
}

/** Removes `mcpError` rather than setting it to `undefined`, which would stay a member until the result is stored as JSON. */
function repaired({
  mcpError: _,
  ...answer
}: ToolCallResult & { readonly mcpError?: unknown }): ToolCallResult {
  return { ...answer, content: answer.content ?? [] };
}

/** A failed call in the form of a result. @param tool - missing if the model named none that there is */
export function failedCall(error: unknown, tool?: ToolDescriptor, onError?: OnCallError): FailedCall {
  const place = tool === undefined ? {} : { server: tool.server, tool: tool.originalName };
  const known = isMcpError(error) ? error : unexpectedError(error, place);
  const replacement = tool && onError?.(known, tool);
  // Results may be sent to browsers; the stderr of a server's process should not be.
  const { stderr: _, ...report } = known.toJSON();
  return {
    content: [
      { type: "text", text: replacement === undefined ? errorText(known, place) : modelText(replacement) },
    ],
    isError: true,
    mcpError: JSON.parse(JSON.stringify(report)) as McpErrorReport,
  };
}
