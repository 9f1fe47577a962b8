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
} from "@jackfield/mcp-core";
import { createListWatch } from "../list-watch.ts";
import type { McpLock } from "../lock/mcp-lock.ts";
import { tellListener } from "../tell-listener.ts";
import { openPinMemory, type PinMemory } from "./pin-memory.ts";
import { diffTools, type ToolChange } from "./tool-diff.ts";
import { type PinState, pinDigest, pinStateOf, pinTool } from "./tool-pin.ts";

/** A tool that is new or differs from its accepted version. */
export interface PinFinding {
  readonly server: string;
  readonly tool: string;
  readonly state: Exclude<PinState, "approved">;
  readonly isWithheld: boolean;
  /** What changed; empty for a new tool. */
  readonly changes: readonly ToolChange[];
}

/** The pin policy, where pins come from, and who is told of differences. */
export interface ToolPinsOptions {
  /** Default `block-changed`. */
  readonly policy?: PinPolicy | undefined;
  /** Where pins are kept between runs. By default, or if the store cannot be read, they hold for this run only. */
  readonly store?: StateStore | undefined;
  /**
   * The project's committed lock. It takes precedence over the store, and the first list of a server in it is not accepted
   * automatically.
   */
  readonly lock?: McpLock | undefined;
  /** Called with each finding, once for each version of the tool. Errors that it throws are ignored. */
  readonly found?: ((finding: PinFinding) => void) | undefined;
  /**
   * Lists a server's tools again and resolves once they were judged: `(server) => mcp.refreshTools(server)`. With it,
   * `middleware` compares a tool known from the catalog with its server's current list before calling it.
   */
  readonly refresh?: ((server: string) => Promise<void>) | undefined;
  /** Logs failures of the store. Default: silent. */
  readonly log?: Logger | undefined;
}

const { any, callable, record } = optionKinds;
const OPTIONS: Record<keyof ToolPinsOptions, OptionKind> = {
  policy: any,
  store: record,
  lock: record,
  found: callable,
  refresh: callable,
  log: callable,
};

/** The policy and middleware to give the manager, and methods to approve tools. */
export interface ToolPins {
  /** Withholds tools according to the pin policy. */
  readonly policy: ToolListPolicy;
  /**
   * Refuses calls of withheld tools with `MCP_TOOL_CHANGED`: tools known from the catalog, once their server has listed them
   * again, and tools that were withheld while the call waited.
   */
  readonly middleware: CallMiddleware;
  /** Tools that were withheld or reported and not approved since, as their servers list them now. */
  pending(): readonly ToolDescriptor[];
  /**
   * Accepts a server's pending tools, or one of them by its original name, as they are now. They are offered again with
   * the server's next list: call `refreshTools(server)`.
   *
   * @returns how many were accepted.
   */
  approve(server: string, tool?: string): Promise<number>;
  /** Resolves when every pin that was set is in the store, or could not be written. */
  saved(): Promise<void>;
}

/**
 * Remembers each tool as it was accepted and compares every list with it, live or from the catalog, in this run and later ones
 * ([T52] of the threat list: a server may change its tools after they were accepted).
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an option or a policy that does not exist.
 */
export async function openToolPins(options: ToolPinsOptions = {}): Promise<ToolPins> {
  checkOptions(options, OPTIONS);
  const policy = parsePinPolicy(options.policy ?? "block-changed");
  const locked = [...(options.lock?.servers.values() ?? [])].flatMap(({ tools }) => [...tools.values()]);
  const memory = await openPinMemory(options.store, options.log ?? silentLogger, locked);
  return new PinnedTools(policy, memory, options);
}

/** The state of one server's current list. */
interface JudgedList {
  /** By original name. */
  readonly pending: Map<string, ToolDescriptor>;
  /** Digests of the versions that were reported, by original name. */
  readonly reported: Map<string, string>;
}

class PinnedTools implements ToolPins {
  readonly policy: ToolListPolicy;
  readonly middleware: CallMiddleware;
  readonly #policy: PinPolicy;
  readonly #memory: PinMemory;
  readonly #options: ToolPinsOptions;
  readonly #lists = new Map<string, JudgedList>();
  /** Servers in the lock, and those whose first list is complete. */
  readonly #known = new Set<string>();
  readonly #watch = createListWatch((servers) => {
    for (const server of servers) this.#known.add(server);
  });

  constructor(policy: PinPolicy, memory: PinMemory, options: ToolPinsOptions) {
    this.#policy = policy;
    this.#memory = memory;
    this.#options = options;
    for (const server of options.lock?.servers.keys() ?? []) this.#known.add(server);
    this.policy = policy === "off" ? (tool) => tool : (tool) => this.#judge(tool);
    this.middleware = async ({ tool }, next) => {
      if (tool.origin === "cache" && this.#isWithholding) await options.refresh?.(tool.server);
      if (this.#isWithholding && this.#lists.get(tool.server)?.pending.has(tool.originalName) === true) {
        throw changedTool(tool);
      }
      return next();
    };
  }

  pending(): readonly ToolDescriptor[] {
    return [...this.#lists.values()].flatMap(({ pending }) => [...pending.values()]);
  }

  async approve(server: string, name?: string): Promise<number> {
    const pending = [...(this.#lists.get(server)?.pending.values() ?? [])];
    const accepted = pending.filter((tool) => name === undefined || tool.originalName === name);
    for (const tool of accepted) this.#accept(tool);
    await this.saved();
    return accepted.length;
  }

  saved(): Promise<void> {
    return this.#memory.saved();
  }

  get #isWithholding(): boolean {
    return this.#policy === "block-changed" || this.#policy === "require-approval";
  }

  #judge(tool: ToolDescriptor): ToolDescriptor | { readonly blocked: string } {
    const list = this.#listOf(tool);
    const pin = this.#memory.get(tool.server, tool.originalName);
    const state = pinStateOf(tool, pin);
    if (state === "approved") return tool;
    if (this.#policy !== "require-approval" && this.#isFirstList(tool.server)) {
      this.#accept(tool);
      return tool;
    }
    list.pending.set(tool.originalName, tool);
    const digest = pinDigest(tool);
    if (list.reported.get(tool.originalName) !== digest) {
      list.reported.set(tool.originalName, digest);
      const changes = pin === undefined ? [] : diffTools(pin.tool, pinTool(tool).tool);
      this.#report({
        server: tool.server,
        tool: tool.originalName,
        state,
        isWithheld: this.#isWithholding,
        changes,
      });
    }
    return this.#isWithholding ? { blocked: REASONS[state] } : tool;
  }

  /**
   * The state of the list a tool belongs to. Each list starts a new state, so that a server that keeps changing its tools
   * cannot fill the memory.
   */
  #listOf({ server }: ToolDescriptor): JudgedList {
    const before = this.#lists.get(server);
    if (!this.#watch.begins(server) && before !== undefined) return before;
    const names = [...(before?.pending.keys() ?? [])];
    const reported = names.map((name): [string, string] => [name, before?.reported.get(name) ?? ""]);
    const list: JudgedList = { pending: new Map(), reported: new Map(reported) };
    this.#lists.set(server, list);
    return list;
  }

  #isFirstList(server: string): boolean {
    return !this.#known.has(server) && !this.#memory.knows(server);
  }

  #accept(tool: ToolDescriptor): void {
    this.#lists.get(tool.server)?.pending.delete(tool.originalName);
    this.#memory.set(pinTool(tool));
  }

  #report(finding: PinFinding): void {
    tellListener(this.#options.found, finding);
  }
}

const REASONS = {
  new: "it is new and was not approved",
  changed: "it changed after it was approved",
} as const;

function changedTool({ server, originalName }: ToolDescriptor): McpError {
  const message = `Tool "${originalName}" of server "${server}" is not accepted in its current form; the call was not sent. Ask the user to review the change.`;
  return new McpError("MCP_TOOL_CHANGED", message, {
    server,
    tool: originalName,
    phase: "call",
    outcome: "not-sent",
  });
}

/**
 * What happens to a tool that differs from its accepted version. A server's first list is accepted as it is, except under
 * `require-approval`.
 *
 * - `off`: nothing is compared;
 * - `warn`: the tool is offered and reported;
 * - `block-changed`: a tool that changed, was added or was renamed is withheld until it is approved;
 * - `require-approval`: so is every tool that was never approved, including those of the first list.
 */
export type PinPolicy = (typeof PIN_POLICIES)[number];

const PIN_POLICIES = ["off", "warn", "block-changed", "require-approval"] as const;

/** @throws McpError `MCP_CONFIG_INVALID`: a misspelt policy must not be less strict than the intended one. */
function parsePinPolicy(policy: unknown): PinPolicy {
  const known = PIN_POLICIES.find((name) => name === policy);
  if (known !== undefined) return known;
  const message = `The pin policy must be one of ${PIN_POLICIES.join(", ")}, not ${JSON.stringify(policy)}.`;
  throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}
