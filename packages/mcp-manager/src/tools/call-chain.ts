import {
  type CallChange,
  type CallMiddleware,
  type CallOptions,
  type JsonObject,
  McpError,
  type ToolCall,
  type ToolCallResult,
  type ToolDescriptor,
} from "@jackfield/mcp-core";
import { abortedBeforeSending, detailsOf, middlewareError } from "./call-error.ts";
import type { FindingPlace } from "./found-tool.ts";

/**
 * Makes the call of a tool that has been found. May also throw synchronously. Behind middleware it must reject with an `McpError`
 * that has an outcome, and resolve with an object.
 */
export type MakeCall = (
  tool: ToolDescriptor,
  args: JsonObject,
  options: CallOptions,
  foundOn?: FindingPlace,
  /** Nothing has judged the call since its tool was found; never set behind middleware. */
  isFreshlyFound?: boolean,
) => Promise<ToolCallResult>;

/** The state of one call on its way to the server. */
interface Passage {
  /** Whether the call itself was made: after that, any failure leaves open whether it was carried out. */
  wasMade: boolean;
  /** What the call itself returned. */
  answer: Promise<ToolCallResult> | undefined;
  readonly foundOn: FindingPlace | undefined;
}

/** One stage of the way. It gets the call's data as arguments, so that the stages are made once for all calls. */
type Stage = (
  tool: ToolDescriptor,
  args: JsonObject,
  options: CallOptions,
  passage: Passage,
) => Promise<ToolCallResult>;

/** Puts middleware around a call, the first outermost. Whatever it does, the caller gets a result or an `McpError` with an outcome. */
export function throughMiddleware(use: readonly CallMiddleware[], call: MakeCall): MakeCall {
  const [outermost, ...others] = use;
  if (outermost === undefined) return call;
  const innermost: Stage = (tool, args, options, passage) => {
    const isLate = options.signal?.aborted === true; // A call made after the abort is not sent.
    const result = call(tool, args, options, passage.foundOn);
    passage.wasMade ||= !isLate;
    passage.answer = result;
    return result;
  };
  const next = others.reduceRight((inner, middleware) => within(middleware, inner), innermost);
  return (tool, args, options, foundOn) => {
    const { signal } = options;
    if (signal?.aborted === true) throw abortedBeforeSending(tool);
    const passage: Passage = { wasMade: false, answer: undefined, foundOn };
    const entered = enter(outermost, next, { tool, args, options }, passage);
    // The usual middleware has only passed the call on.
    if (signal === undefined && entered === passage.answer) return passage.answer;
    const result = signal === undefined ? entered : unlessAborted(entered, tool, signal, passage);
    // An asynchronous function would cost every call more than all else here.
    return result.then(
      (given) => resultOf(given, tool, passage),
      (thrown: unknown) => {
        throw middlewareError(thrown, tool, passage.wasMade);
      },
    );
  };
}

function within(middleware: CallMiddleware, next: Stage): Stage {
  return (tool, args, options, passage) =>
    enter(middleware, next, { tool, args, options }, passage).then((given) => resultOf(given, tool, passage));
}

/** Passes a call to a middleware. It may return anything; a synchronous throw becomes a rejection. */
function enter(middleware: CallMiddleware, next: Stage, call: ToolCall, passage: Passage): Promise<unknown> {
  const { tool, args, options } = call;
  let used = false;
  const goOn = (change?: CallChange) => {
    if (used) return Promise.reject(misbehaved("tried to make the call twice", tool, passage));
    used = true;
    try {
      return change == null
        ? next(tool, args, options, passage)
        : next(tool, change.args ?? args, withMeta(options, change.meta), passage);
    } catch (error) {
      return Promise.reject(error);
    }
  };
  try {
    const given: unknown = middleware(call, goOn);
    // The result may have its own `then`, which may do anything: `resolve` calls it once and enforces the rules of promises.
    const hasOwnThen = typeof given === "object" && given !== null && Object.hasOwn(given, "then");
    return hasOwnThen ? new Promise((resolve) => resolve(given)) : Promise.resolve(given);
  } catch (error) {
    return Promise.reject(error);
  }
}

function resultOf(result: unknown, tool: ToolDescriptor, passage: Passage): ToolCallResult {
  if (typeof result !== "object" || result === null) throw misbehaved("returned no result", tool, passage);
  return result as ToolCallResult;
}

function withMeta(options: CallOptions, meta: JsonObject | undefined): CallOptions {
  return meta === undefined ? options : { ...options, meta: { ...options.meta, ...meta } };
}

/** Rejects a turn after the abort, even if middleware ignores the signal: an error from within comes first. */
async function unlessAborted(
  result: Promise<unknown>,
  tool: ToolDescriptor,
  signal: AbortSignal,
  passage: Passage,
): Promise<unknown> {
  const aborted = Promise.withResolvers<never>();
  const giveUp = () =>
    setImmediate(() => aborted.reject(passage.wasMade ? abortedOnItsWay(tool) : abortedBeforeSending(tool)));
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([result, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

function abortedOnItsWay(tool: ToolDescriptor): McpError {
  const message = `The call of tool "${tool.originalName}" was aborted; it may have been carried out.`;
  return new McpError("MCP_ABORTED", message, { ...detailsOf(tool), outcome: "unknown" });
}

function misbehaved(how: string, tool: ToolDescriptor, { wasMade }: Passage): McpError {
  return middlewareError(undefined, tool, wasMade, how);
}
