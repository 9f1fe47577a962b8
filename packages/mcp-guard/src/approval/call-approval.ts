import {
  type CallMiddleware,
  McpError,
  type StateStore,
  type ToolDescriptor,
  type ToolListPolicy,
} from "@jackfield/mcp-core";
import { toolDigest } from "../pinning/tool-digest.ts";
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

export interface CallApprovalOptions {
  /** For every server that has no rule of its own. Default `always`. */
  readonly rule?: ApprovalRule | undefined;
  /** Rules of single servers by name. */
  readonly servers?: Readonly<Record<string, ApprovalRule>> | undefined;
  /** Asks a person. Without it every call that has to be approved and was not is refused. */
  readonly ask?: ((request: ApprovalRequest) => Promise<ApprovalAnswer>) | undefined;
  /** Where answers `forever` are kept. Default: they hold for this run. */
  readonly store?: StateStore | undefined;
}

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
}: CallApprovalOptions = {}): CallApproval {
  const general = parseApprovalRule(rule);
  const own = new Map(Object.entries(servers).map(([server, given]) => [server, parseApprovalRule(given)]));
  const ruleFor = (tool: ToolDescriptor): ParsedApprovalRule => own.get(tool.server) ?? general;
  const answers = rememberAnswers(store);
  const asking = new Map<string, Promise<unknown>>();

  async function decide(request: ApprovalRequest, key: string): Promise<boolean> {
    if (await answers.has(key)) return true;
    if (ask === undefined) return false;
    const answer: unknown = await ask(request);
    if (answer === "run" || answer === "forever") await answers.add(key, answer);
    return answer === "once" || answer === "run" || answer === "forever";
  }

  async function isApproved(request: ApprovalRequest): Promise<boolean> {
    const key = `${encodeURIComponent(request.tool.server.toWellFormed())}:${toolDigest(request.tool)}`;
    const before = asking.get(key) ?? Promise.resolve();
    const decided = before.then(() => decide(request, key));
    const settled = decided.catch(() => undefined);
    asking.set(key, settled);
    try {
      return await decided;
    } finally {
      if (asking.get(key) === settled) asking.delete(key);
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
      if (isNeeded) {
        const decided = isApproved({ tool, args, signal: options.signal });
        if (!(await unlessAborted(decided, tool, options.signal))) throw refused(tool);
      }
      return next();
    },
  };
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
async function unlessAborted<T>(
  decided: Promise<T>,
  tool: ToolDescriptor,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return decided;
  const aborted = Promise.withResolvers<never>();
  const give = () => aborted.reject(abandoned(tool));
  signal.addEventListener("abort", give, { once: true });
  if (signal.aborted) give();
  try {
    return await Promise.race([decided, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", give);
    decided.catch(() => undefined);
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

const KEY_PREFIX = "call-approval:";

/** Answers by server and content of the tool: a tool that changed is another tool and is asked about again. */
function rememberAnswers(store: StateStore | undefined) {
  const inThisRun = new Set<string>();
  return {
    async has(key: string): Promise<boolean> {
      return inThisRun.has(key) || (await store?.get(KEY_PREFIX + key)) !== undefined;
    },
    async add(key: string, answer: "run" | "forever"): Promise<void> {
      inThisRun.add(key);
      if (answer === "forever") await store?.set(KEY_PREFIX + key, new Date().toISOString());
    },
  };
}

function refused({ server, originalName }: ToolDescriptor): McpError {
  const message = `The call of tool "${originalName}" of server "${server}" was not approved. Do not try it again unless the user asks for it.`;
  return new McpError("MCP_CALL_DENIED", message, {
    server,
    tool: originalName,
    phase: "call",
    outcome: "not-sent",
  });
}
