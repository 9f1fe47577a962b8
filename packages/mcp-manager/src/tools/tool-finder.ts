import {
  type CallOptions,
  McpError,
  type Session,
  type ToolDescriptor,
  type ToolRef,
  toolDigest,
} from "@jackfield/mcp-core";
import type { ManagedServer } from "../server/managed-server.ts";
import { operationDeadline } from "../server/operation-deadline.ts";
import { latestRenewal } from "../server/watched-session.ts";
import { detailsOf, unavailable } from "./call-error.ts";
import { CallTime, waitForListedServer } from "./call-time.ts";
import type { ToolRegistry } from "./tool-registry.ts";

/** Where a tool was found. */
export interface FindingPlace {
  /** The open session that the tool belongs to, if any: another one may have a different tool of that name. */
  readonly session: Session | undefined;
  /** The latest renewal of any session then: the session may have been renewed since, and have a different tool, too. */
  readonly renewal: number;
}

/** A tool, and the options of its call with the time that is left after finding it. */
export interface FoundTool extends FindingPlace {
  readonly tool: ToolDescriptor;
  readonly options: CallOptions;
  /** The caller is an adapter, which has checked a model's arguments against the whole schema of the tool that it names by its digest. */
  readonly isChecked: boolean;
}

type ServerToolRef = Exclude<ToolRef, string>;

/** Finds the tools that references mean. */
export class ToolFinder {
  readonly #registry: ToolRegistry;
  /** @throws McpError `MCP_SERVER_UNKNOWN` */
  readonly #server: (name: string) => ManagedServer;

  constructor(registry: ToolRegistry, server: (name: string) => ManagedServer) {
    this.#registry = registry;
    this.#server = server;
  }

  /**
   * Finds the tool a reference means. A mangled name is repaired if only one tool can be meant. Waits for the server's list if a tool
   * that is named by its server is not listed yet, or if the tool is only known from the catalog.
   *
   * @throws McpError `MCP_TOOL_UNKNOWN`, which names up to three tools with similar names; `MCP_TOOL_CHANGED` if the reference or the
   * option `approved` has the digest of another tool; `MCP_SERVER_UNKNOWN`; or why the server could not be asked, with outcome `not-sent`.
   */
  find(ref: ToolRef, options: CallOptions): FoundTool | Promise<FoundTool> {
    checkToolRef(ref);
    const named = typeof ref === "string";
    const tool = named ? this.#registry.get(ref) : this.#registry.find(ref.server, ref.tool);
    if (tool !== undefined) return this.#known(ref, tool, options);
    return named ? this.#repaired(ref, options) : this.#awaited(ref, options);
  }

  /**
   * A tool from the catalog may be out of date, and a call must be judged by the tool that will be called (threat T78). A server that
   * cannot list its tools is called all the same.
   */
  #known(ref: ToolRef, tool: ToolDescriptor, options: CallOptions): FoundTool | Promise<FoundTool> {
    const owner = this.#server(tool.server);
    return tool.origin === "live" && !owner.isRelisting
      ? foundFor(ref, tool, options, owner)
      : this.#live(ref, tool, options, owner);
  }

  async #live(
    ref: ToolRef,
    known: ToolDescriptor,
    options: CallOptions,
    owner: ManagedServer,
  ): Promise<FoundTool> {
    const time = new CallTime(options, owner.definition.limits);
    await waitForListedServer({ tool: known, options }, time, owner);
    const tool = this.#registry.find(known.server, known.originalName) ?? known; // Middleware may know why it is gone.
    return foundFor(ref, tool, { ...options, ...time.left() }, owner);
  }

  async #repaired(name: string, options: CallOptions): Promise<FoundTool> {
    const tool = (await this.#registry.aliases.repaired(name)) ?? this.#registry.get(name);
    if (tool !== undefined) return this.#known(name, tool, options);
    const near = (await this.#registry.aliases.nearest(name)).map((similar) => similar.name);
    throw unknownTool(`No tool is called ${quoted(name)}${suggestion(near)}`, name);
  }

  async #awaited(ref: ServerToolRef, options: CallOptions): Promise<FoundTool> {
    const owner = this.#server(ref.server);
    const time = new CallTime(options, owner.definition.limits);
    using deadline = operationDeadline(owner, "list", { signal: options.signal, timeoutMs: time.waitMs() });
    try {
      await owner.ensureTools(deadline);
    } catch (thrown) {
      throw unavailable({ server: ref.server, originalName: ref.tool }, thrown);
    }
    const tool = this.#registry.find(ref.server, ref.tool);
    if (tool !== undefined) return foundFor(ref, tool, { ...options, ...time.left() }, owner);
    const near = await this.#registry.aliases.nearest(ref.tool, ref.server);
    const similar = suggestion(near.map(({ originalName }) => originalName));
    const message = `Server ${quoted(ref.server)} offers no tool ${quoted(ref.tool)}${similar}`;
    throw unknownTool(message, ref.tool, ref.server);
  }
}

/** @throws McpError `MCP_TOOL_CHANGED` if another tool was shown to whoever wants or approved the call. */
function foundFor(
  ref: ToolRef,
  tool: ToolDescriptor,
  options: CallOptions,
  { openSession }: ManagedServer,
): FoundTool {
  const meant = typeof ref === "string" ? undefined : ref.digest;
  for (const digest of [meant, options.approved]) if (digest !== undefined) refuseUnlessShown(tool, digest);
  const isChecked = meant !== undefined && options.audience === "model";
  return { tool, options, isChecked, session: openSession, renewal: latestRenewal() };
}

/**
 * Refuses a value that is no tool reference, as it would an unknown name.
 *
 * @throws McpError `MCP_TOOL_UNKNOWN` with outcome `not-sent`.
 */
export function checkToolRef(ref: unknown): asserts ref is ToolRef {
  if (typeof ref === "string") return;
  if (typeof ref === "object" && ref !== null) {
    const { server, tool, digest } = ref as Readonly<Record<string, unknown>>;
    const isDigest = digest === undefined || typeof digest === "string";
    if (typeof server === "string" && typeof tool === "string" && isDigest) return;
  }
  const said = ref === null ? "null" : typeof ref === "object" ? "another object" : typeof ref;
  const message = `A tool is named by its exposed name or by { server, tool } with or without its digest, not by ${said}.`;
  throw new McpError("MCP_TOOL_UNKNOWN", message, { phase: "call", outcome: "not-sent" });
}

/**
 * The error for a tool that has changed since the call was judged (threat T78): `MCP_TOOL_UNKNOWN` if it is not on offer any more,
 * `MCP_TOOL_CHANGED` if it is different. `undefined` if it is the one that is on offer now.
 */
export function changeOf(tool: ToolDescriptor, registry: ToolRegistry): McpError | undefined {
  const { server, originalName } = tool;
  const offered = registry.find(server, originalName);
  if (offered === undefined) return goneTool(tool);
  if (offered === tool || toolDigest(offered) === toolDigest(tool)) return undefined;
  const message = `Tool ${quoted(originalName)} of server ${quoted(server)} changed after its call was checked, while the server restarted or listed its tools again, so the call was not sent. A new call is checked against the tool as it is now.`;
  return new McpError("MCP_TOOL_CHANGED", message, { ...detailsOf(tool), outcome: "not-sent" });
}

/**
 * Refuses a tool that has changed since the call was judged.
 *
 * @throws McpError as `changeOf` returns it.
 */
export function refuseIfOther(tool: ToolDescriptor, registry: ToolRegistry): void {
  const error = changeOf(tool, registry);
  if (error !== undefined) throw error;
}

function refuseUnlessShown(tool: ToolDescriptor, digest: string): void {
  if (toolDigest(tool) === digest) return;
  const { server, originalName } = tool;
  const message = `Tool ${quoted(originalName)} of server ${quoted(server)} is not the one that was shown: it changed since, so the call was not sent. Make the tools again from mcp.tools(), by which a new call and its approval are judged; aiSdkLiveTools and mcpMiddleware follow changes by themselves.`;
  throw new McpError("MCP_TOOL_CHANGED", message, { ...detailsOf(tool), outcome: "not-sent" });
}

/**
 * Refuses a tool that only an earlier session listed: a server must not escape judgement by holding its list back.
 *
 * @throws McpError `MCP_SESSION_LOST`
 */
export function refuseIfUnlisted(
  tool: ToolDescriptor,
  registry: ToolRegistry,
  { isRelisting }: Pick<ManagedServer, "isRelisting">,
): void {
  const { server, originalName } = tool;
  if (!isRelisting && registry.find(server, originalName)?.origin === "live") return;
  const message = `Server ${quoted(server)} restarted after the call of tool ${quoted(originalName)} was checked, and has not listed its tools since, so the call was not sent. A new call is checked against what is known of the tool then.`;
  throw new McpError("MCP_SESSION_LOST", message, { ...detailsOf(tool), outcome: "not-sent" });
}

/** Suggests no other tools, because a view may hide them from the caller. */
function goneTool({ server, originalName }: ToolDescriptor): McpError {
  return unknownTool(
    `Server ${quoted(server)} offers no tool ${quoted(originalName)} any more.`,
    originalName,
    server,
  );
}

function unknownTool(message: string, tool: string, server?: string): McpError {
  return new McpError("MCP_TOOL_UNKNOWN", message, { server, tool, phase: "call", outcome: "not-sent" });
}

function suggestion(near: readonly string[]): string {
  return near.length === 0 ? "." : `; similar names: ${near.map(quoted).join(", ")}.`;
}

/** Quotes a name and cuts it: a model may write anything. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 128 ? `${name.slice(0, 128)}…` : name);
}
