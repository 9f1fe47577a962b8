import {
  type CallChange,
  type CallMiddleware,
  type CallOptions,
  isInputRequired,
  isRecord,
  type JsonObject,
  type Logger,
  McpError,
  type ToolCall,
  type ToolCallResult,
  type ToolDefinition,
  type ToolDescriptor,
  type ToolRef,
} from "@jackfield/mcp-core";
import type { OutputCheck } from "@jackfield/mcp-tools";
import type { ManagedServer } from "../server/managed-server.ts";
import { invalidOption } from "../server/operation-deadline.ts";
import {
  abortedBeforeSending,
  detailsOf,
  middlewareError,
  optionInvalid,
  uncheckedAnswer,
} from "./call-error.ts";
import { sendCall } from "./call-sender.ts";
import { checkToolRef, type FindingPlace, type FoundTool, refuseIfOther, ToolFinder } from "./tool-finder.ts";
import type { ToolRegistry } from "./tool-registry.ts";

export interface ToolCallerOptions {
  /** The first is the outermost. */
  readonly use: readonly CallMiddleware[];
  readonly registry: ToolRegistry;
  /**
   * Also finds a server after the manager is closed.
   *
   * @throws McpError `MCP_SERVER_UNKNOWN`
   */
  readonly server: (name: string) => ManagedServer;
  /** @throws McpError `MCP_CLOSED` after the manager is closed. */
  readonly refuseIfClosed: () => void;
  readonly log: Logger;
}

/** Calls the tools of a manager. Every method throws only `McpError`. */
export class ToolCaller {
  readonly #options: ToolCallerOptions;
  readonly #finder: ToolFinder;
  readonly #send: MakeCall;
  /** A check of answers for each tool that has been called, made once: many programs never need one. */
  readonly #outputChecks = new WeakMap<ToolDefinition, Promise<OutputCheck>>();

  constructor(options: ToolCallerOptions) {
    this.#options = options;
    this.#finder = new ToolFinder(options.registry, options.server);
    this.#send = throughMiddleware(options.use, this.#judged);
  }

  /**
   * Finds the tool a reference means, without calling it.
   *
   * @throws McpError whatever `ToolFinder.find` throws, `MCP_CLOSED`, or `MCP_CONFIG_INVALID` for invalid options.
   */
  find(ref: ToolRef, options: CallOptions): FoundTool | Promise<FoundTool> {
    this.#options.refuseIfClosed();
    checkToolRef(ref);
    const invalid = invalidOption(options);
    if (invalid !== undefined) throw optionInvalid(invalid, ref);
    return this.#finder.find(ref, options);
  }

  /**
   * Makes a call: finds the tool, runs the middleware, checks the arguments, sends them within the call's deadlines, again only where
   * that is safe or wanted, and checks the answer.
   */
  call(ref: ToolRef, args: JsonObject, options: CallOptions): Promise<ToolCallResult> {
    try {
      const found = this.find(ref, options);
      if (found instanceof Promise) return found.then((place) => this.#sendFound(place, args, false));
      return this.#sendFound(found, args, true);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** The same for a tool that `find` returned and that was judged since. */
  async callFound(found: FoundTool, args: JsonObject): Promise<ToolCallResult> {
    const { refuseIfClosed, registry } = this.#options;
    const { tool } = found;
    refuseIfClosed();
    const mayBeGone = tool.origin === "cache"; // Left to the middleware, which may know why.
    if (!mayBeGone || registry.find(tool.server, tool.originalName) !== undefined)
      refuseIfOther(tool, registry); // The tool may have changed while it was judged.
    return this.#sendFound(found, args, false);
  }

  #sendFound(found: FoundTool, args: JsonObject, isFreshlyFound: boolean): Promise<ToolCallResult> {
    const checkedArgs = found.isChecked ? args : undefined;
    return this.#send(found.tool, args, found.options, { foundOn: found, isFreshlyFound, checkedArgs });
  }

  /** The call behind the middleware. */
  readonly #judged: MakeCall = (tool, args, options, { foundOn, isFreshlyFound, checkedArgs }) => {
    const { registry, server, refuseIfClosed } = this.#options;
    try {
      if (!isFreshlyFound) refuseIfOther(tool, registry); // It may have changed while it was judged.
      if (args !== checkedArgs) checkArguments(tool, args);
      refuseIfClosed();
      const call = { tool, args, options };
      const sent = sendCall({ call, server: server(tool.server), registry, foundOn, isFreshlyFound });
      if (tool.definition.outputSchema === undefined) return sent;
      return sent.then((result) => this.#checked(tool, result, options));
    } catch (error) {
      return Promise.reject(error);
    }
  };

  /**
   * Checks an answer as it arrives, before any middleware has changed it, against the tool's output schema. A model reads it all the same,
   * unless the caller wants otherwise: the tool has run, and the text beside the data is usually right.
   *
   * @throws McpError `MCP_PROTOCOL_VIOLATED`, with outcome `unknown`, if it does not follow the schema and is refused.
   */
  async #checked(
    tool: ToolDescriptor,
    result: ToolCallResult,
    { audience, output = audience === "model" ? "warn" : "refuse" }: CallOptions,
  ): Promise<ToolCallResult> {
    if (isInputRequired(result)) return result;
    const { definition } = tool;
    const prepare = () => import("@jackfield/mcp-tools").then((tools) => tools.createOutputCheck(tool));
    const prepared = this.#outputChecks.get(definition) ?? prepare();
    this.#outputChecks.set(definition, prepared);
    const check = await prepared.catch((thrown: unknown) => {
      throw uncheckedAnswer(thrown, tool);
    });
    const violation = check(result);
    if (violation === undefined) return result;
    if (output === "refuse") throw violation;
    this.#options.log("warn", violation.message, { server: tool.server, tool: tool.originalName });
    return result;
  }
}

/**
 * Refuses arguments before anything is sent: they must be an object and hold whatever the tool requires ([T19], [T20]).
 *
 * @throws McpError `MCP_ARGUMENTS_INVALID` with outcome `not-sent`, naming what is missing in alphabetical order.
 */
function checkArguments(tool: ToolDescriptor, args: unknown): asserts args is JsonObject {
  const refuse = (why: string) => {
    const message = `Tool "${tool.originalName}" of server "${tool.server}" was not called: ${why}.`;
    return new McpError("MCP_ARGUMENTS_INVALID", message, { ...detailsOf(tool), outcome: "not-sent" });
  };
  if (!isRecord(args)) throw refuse("its arguments must be an object");
  const { required } = tool.definition.inputSchema;
  if (!Array.isArray(required)) return;
  const missing = required.filter((name) => !Object.hasOwn(args, name) || args[name] === undefined);
  if (missing.length === 0) return;
  const names = missing.sort().map((name) => `"${name}"`);
  throw refuse(`missing required argument ${names.join(", ")}`);
}

/** What is known of a call before it is judged. */
export interface Origin {
  readonly foundOn: FindingPlace | undefined;
  /** Nothing has judged the call since its tool was found; never so behind middleware. */
  readonly isFreshlyFound: boolean;
  /** Arguments that were checked already; middleware may put others in their place. */
  readonly checkedArgs: JsonObject | undefined;
}

/** Makes the call of a tool that has been found. It rejects with an `McpError` that has an outcome, and resolves with an object. */
export type MakeCall = (
  tool: ToolDescriptor,
  args: JsonObject,
  options: CallOptions,
  origin: Origin,
) => Promise<ToolCallResult>;

/** The state of one call on its way to the server. */
interface Passage {
  /** Whether the call itself was made: after that, any failure leaves open whether it was carried out. */
  wasMade: boolean;
  /** What the call itself returned. */
  answer: Promise<ToolCallResult> | undefined;
  readonly origin: Origin;
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
    const result = call(tool, args, options, passage.origin);
    passage.wasMade ||= !isLate;
    passage.answer = result;
    return result;
  };
  const next = others.reduceRight((inner, middleware) => within(middleware, inner), innermost);
  return (tool, args, options, origin) => {
    const { signal } = options;
    if (signal?.aborted === true) throw abortedBeforeSending(tool);
    const passage: Passage = {
      wasMade: false,
      answer: undefined,
      origin: { ...origin, isFreshlyFound: false },
    };
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
