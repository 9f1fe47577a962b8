import {
  type CallMiddleware,
  checkOptions,
  type Logger,
  McpError,
  type OptionKind,
  optionKinds,
  type StateStore,
  silentLogger,
  type ToolDescriptor,
  type ToolListPolicy,
  thrownText,
  toolDigest,
} from "@jackfield/mcp-core";
import { type ApprovalRule, parseApprovalRules, type RulesByServer } from "./approval-rule.ts";

/** `once`: this call; `run`: this tool in its current version, until the program ends; `forever`: in later runs too. */
export type ApprovalAnswer = "once" | "run" | "forever" | "refuse";

/** A call that has to be approved. The tool's texts are the server's own: clean them (`cleanText`) before showing them. */
export interface ApprovalRequest {
  readonly tool: ToolDescriptor;
  readonly args: Readonly<Record<string, unknown>>;
  /** Aborts when the caller gives up: withdraw the question then. */
  readonly signal: AbortSignal | undefined;
}

/** Which calls have to be approved, and who is asked. */
export interface CallApprovalOptions {
  /** Which calls: a rule for all servers, or `{ servers, others }` with a rule for each. Default `always`. */
  readonly calls?: ApprovalRule | RulesByServer | undefined;
  /**
   * Asks a person. Without it, a call that needs approval and has none yet is refused. So is one for which this function throws
   * or returns no `ApprovalAnswer`.
   */
  readonly ask?: ((request: ApprovalRequest) => Promise<ApprovalAnswer>) | undefined;
  /** Where `forever` answers are kept. By default, or if the store fails, they hold for this run only. */
  readonly store?: StateStore | undefined;
  /** Logs failures of the store. Default: silent. */
  readonly log?: Logger | undefined;
}

const { any, callable, record } = optionKinds;
/** The rules are checked where they are read. */
const OPTIONS: Record<keyof CallApprovalOptions, OptionKind> = {
  calls: any,
  ask: callable,
  store: record,
  log: callable,
};

/** The middleware and the policy to give the manager. */
export interface CallApproval {
  /** Refuses calls that were not approved with `MCP_CALL_DENIED`, which adapters turn into a text the model can read. */
  readonly middleware: CallMiddleware;
  /** Sets `requiresApproval` on tools whose calls may need approval, so that a framework can ask by itself. */
  readonly policy: ToolListPolicy;
}

/**
 * Asks a person to approve calls before they are made. A call of exactly the tool that the framework got approved already (`approved` in
 * its options) is not asked about again. Concurrent calls of one tool are asked about one after the other, so that the answer to
 * the first can serve the second.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an option that does not exist or cannot be used, and for a malformed rule.
 */
export function callApproval(options: CallApprovalOptions = {}): CallApproval {
  checkOptions(options, OPTIONS);
  const { calls = "always", ask, store, log = silentLogger } = options;
  const rule = parseApprovalRules(calls);
  const memory = createApprovalMemory(store, log);
  const turns = new Map<string, Promise<unknown>>();

  async function decide(request: ApprovalRequest, key: string): Promise<void> {
    if (await memory.has(key)) return;
    const answer = await answerTo(request, ask);
    if (answer === "run" || answer === "forever") await memory.add(key, answer);
    else if (answer !== "once") throw refused(request.tool);
  }

  /** Asks about calls of one tool in turn. A call that is aborted lets the next one ask, even if its question is never answered. */
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
      const needed = rule(tool);
      return needed === false || tool.requiresApproval ? tool : { ...tool, requiresApproval: true };
    },
    middleware: async ({ tool, args, options }, next) => {
      if (options.approved !== undefined && options.approved === toolDigest(tool)) return next();
      const needed = rule(tool);
      const isNeeded = typeof needed === "function" ? await asks(needed, { tool, args }) : needed;
      if (isNeeded) await approve({ tool, args, signal: options.signal });
      return next();
    },
  };
}

/** An `ask` that is missing or throws approves nothing. */
async function answerTo(request: ApprovalRequest, ask: CallApprovalOptions["ask"]): Promise<unknown> {
  try {
    return await ask?.(request);
  } catch (error) {
    throw refused(request.tool, error);
  }
}

/** A function that throws or returns anything but `false` means that the call has to be approved. */
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

/** Rejects as soon as the caller aborts, even if the person never answers. */
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

/** Approvals that hold for longer than one call. */
export interface ApprovalMemory {
  has(key: string): Promise<boolean>;
  add(key: string, answer: "run" | "forever"): Promise<void>;
}

const KEY_PREFIX = "call-approval:";

/** Identifies a tool by server and content, so that a tool that changed needs a new approval. */
function approvalKey(tool: ToolDescriptor): string {
  return `${encodeURIComponent(tool.server.toWellFormed())}:${toolDigest(tool)}`;
}

/** A failing store never fails a call: the person is asked again instead. */
function createApprovalMemory(store: StateStore | undefined, log: Logger): ApprovalMemory {
  const inThisRun = new Set<string>();
  const failed = (what: string) => (error: unknown) => {
    log("warn", `An approval of calls could not be ${what}.`, { error: thrownText(error) });
    return undefined;
  };
  return {
    async has(key) {
      if (inThisRun.has(key)) return true;
      return (await store?.get(KEY_PREFIX + key).catch(failed("read"))) !== undefined;
    },
    async add(key, answer) {
      inThisRun.add(key);
      if (answer === "forever")
        await store?.set(KEY_PREFIX + key, new Date().toISOString()).catch(failed("stored"));
    },
  };
}
