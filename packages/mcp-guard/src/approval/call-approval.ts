import {
  type CallMiddleware,
  type Logger,
  McpError,
  type StateStore,
  silentLogger,
  type ToolDescriptor,
  type ToolListPolicy,
} from "@jackfield/mcp-core";
import { approvalKey, createApprovalMemory } from "./approval-memory.ts";
import { type ApprovalRule, type ParsedApprovalRule, parseApprovalRule } from "./approval-rule.ts";

/** `once`: this call; `run`: this tool as it is now, until the program ends; `forever`: also after it. */
export type ApprovalAnswer = "once" | "run" | "forever" | "refuse";

/** What has to be approved. Texts are the server's own: clean them before they are shown (`cleanText`). */
export interface ApprovalRequest {
  readonly tool: ToolDescriptor;
  readonly args: Readonly<Record<string, unknown>>;
  /** Fires when the caller gives up: take the question back. */
  readonly signal: AbortSignal | undefined;
}

/** Which calls have to be approved, and who is asked. */
export interface CallApprovalOptions {
  /** For every server that has no rule of its own. Default `always`. */
  readonly rule?: ApprovalRule | undefined;
  /** Rules of single servers by name. */
  readonly servers?: Readonly<Record<string, ApprovalRule>> | undefined;
  /**
   * Asks a person. Without it every call that has to be approved and was not is refused; so is one for which it throws or
   * answers anything else.
   */
  readonly ask?: ((request: ApprovalRequest) => Promise<ApprovalAnswer>) | undefined;
  /** Where answers `forever` are kept. Default, and where it fails: they hold for this run. */
  readonly store?: StateStore | undefined;
  /** Told when the store fails. Default: nobody. */
  readonly log?: Logger | undefined;
}

/** Approval of calls, as the manager takes it. */
export interface CallApproval {
  /** Refuses what was not approved, with `MCP_CALL_DENIED`, which adapters turn into a text the model can read. */
  readonly middleware: CallMiddleware;
  /** Sets `requiresApproval` on what is offered, so that a framework can ask by itself. */
  readonly policy: ToolListPolicy;
}

/**
 * Has calls approved by a person before they are made. A call that the framework had approved already (`approved` in its
 * options) is not asked about again, and two calls of one tool at the same time are asked about one after the other, so
 * that the answer to the first can serve the second.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a rule that is not exactly right.
 */
export function callApproval({
  rule = "always",
  servers = {},
  ask,
  store,
  log = silentLogger,
}: CallApprovalOptions = {}): CallApproval {
  const general = parseApprovalRule(rule);
  const own = new Map(Object.entries(servers).map(([server, given]) => [server, parseApprovalRule(given)]));
  const ruleFor = (tool: ToolDescriptor): ParsedApprovalRule => own.get(tool.server) ?? general;
  const memory = createApprovalMemory(store, log);
  const turns = new Map<string, Promise<unknown>>();

  async function decide(request: ApprovalRequest, key: string): Promise<void> {
    if (await memory.has(key)) return;
    const answer = await answerTo(request, ask);
    if (answer === "run" || answer === "forever") await memory.add(key, answer);
    else if (answer !== "once") throw refused(request.tool);
  }

  /** Whoever gives up makes room for the next caller, even if the question is never answered. */
  async function approve(request: ApprovalRequest): Promise<void> {
    const key = approvalKey(request.tool);
    const before = turns.get(key) ?? Promise.resolve();
    const turn = unlessAborted(
      before.then(() => (request.signal?.aborted === true ? undefined : decide(request, key))),
      request,
    );
    const over = Promise.all([before, turn.catch(() => undefined)]);
    turns.set(key, over);
    try {
      await turn;
    } finally {
      if (turns.get(key) === over) turns.delete(key);
    }
  }

  return {
    policy: (tool) => {
      const needed = ruleFor(tool)(tool);
      return needed === false || tool.requiresApproval ? tool : { ...tool, requiresApproval: true };
    },
    middleware: async ({ tool, args, options }, next) => {
      if (options.approved === true) return next();
      const needed = ruleFor(tool)(tool);
      const isNeeded = typeof needed === "function" ? await asks(needed, { tool, args }) : needed;
      if (isNeeded) await approve({ tool, args, signal: options.signal });
      return next();
    },
  };
}

/** Somebody who cannot be asked has not approved. */
async function answerTo(request: ApprovalRequest, ask: CallApprovalOptions["ask"]): Promise<unknown> {
  try {
    return await ask?.(request);
  } catch (error) {
    throw refused(request.tool, error);
  }
}

/** A function that fails or answers anything but `false` means that the call has to be approved. */
async function asks(
  question: (call: { tool: ToolDescriptor; args: Readonly<Record<string, unknown>> }) => unknown,
  call: { tool: ToolDescriptor; args: Readonly<Record<string, unknown>> },
): Promise<boolean> {
  try {
    return (await question(call)) !== false;
  } catch {
    return true;
  }
}

/** A caller that gives up does not wait for a person who has gone to lunch. */
async function unlessAborted<T>(decided: Promise<T>, { tool, signal }: ApprovalRequest): Promise<T> {
  if (signal === undefined) return decided;
  const aborted = Promise.withResolvers<never>();
  const giveUp = () => aborted.reject(abandoned(tool));
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  decided.catch(() => undefined);
  try {
    return await Promise.race([aborted.promise, decided]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

function abandoned({ server, originalName }: ToolDescriptor): McpError {
  const message = `The call of tool "${originalName}" was aborted while it waited for approval; it was not sent.`;
  return new McpError("MCP_ABORTED", message, {
    server,
    tool: originalName,
    phase: "call",
    outcome: "not-sent",
  });
}

function refused({ server, originalName }: ToolDescriptor, cause?: unknown): McpError {
  const message = `The call of tool "${originalName}" of server "${server}" was not approved. Do not try it again unless the user asks for it.`;
  return new McpError("MCP_CALL_DENIED", message, {
    server,
    tool: originalName,
    phase: "call",
    outcome: "not-sent",
    cause,
  });
}
