import {
  type CallOptions,
  McpError,
  type ToolDescriptor,
  type ToolRef,
  toolDigest,
} from "@jackfield/mcp-core";
import type { ManagedServer } from "../server/managed-server.ts";
import { operationDeadline } from "../server/operation-deadline.ts";
import { latestRenewal } from "../server/watched-session.ts";
import { detailsOf, unavailable } from "./call-error.ts";
import { createCallTime } from "./call-time.ts";
import type { FoundTool, ToolFinder } from "./found-tool.ts";
import { waitForListedServer } from "./server-wait.ts";
import type { ToolRegistry } from "./tool-registry.ts";

type ServerToolRef = Exclude<ToolRef, string>;

export interface ToolFinderOptions {
  readonly registry: ToolRegistry;
  /** @throws McpError `MCP_SERVER_UNKNOWN` */
  readonly server: (name: string) => ManagedServer;
}

export function createToolFinder({ registry, server }: ToolFinderOptions): ToolFinder {
  return (ref, options) => {
    const tool = typeof ref === "string" ? registry.get(ref) : registry.find(ref.server, ref.tool);
    if (tool !== undefined) return found(ref, tool, options);
    return typeof ref === "string" ? repaired(ref, options) : awaitTool(ref, options);
  };

  function found(ref: ToolRef, tool: ToolDescriptor, options: CallOptions): FoundTool | Promise<FoundTool> {
    const owner = server(tool.server);
    return tool.origin === "live" && !owner.isRelisting
      ? foundFor(ref, tool, options, owner)
      : awaitLive(ref, tool, owner, options);
  }

  async function repaired(name: string, options: CallOptions): Promise<FoundTool> {
    const tool = await registry.aliases.repaired(name);
    return found(name, tool ?? registry.get(name) ?? (await refuseName(name, registry)), options);
  }

  /** @throws McpError `MCP_TOOL_CHANGED` if another tool was shown to whoever wants or approved the call. */
  function foundFor(
    ref: ToolRef,
    tool: ToolDescriptor,
    options: CallOptions,
    { openSession }: ManagedServer,
  ): FoundTool {
    const { approved } = options;
    const meant = typeof ref === "string" ? undefined : ref.digest;
    for (const digest of [meant, approved]) if (digest !== undefined) refuseUnlessShown(tool, digest);
    return { tool, options, session: openSession, renewal: latestRenewal() };
  }

  /**
   * A tool from the catalog may be out of date, and a call must be judged by the tool that will be called (threat T78). A server that
   * cannot list its tools is called all the same.
   */
  async function awaitLive(
    ref: ToolRef,
    known: ToolDescriptor,
    owner: ManagedServer,
    options: CallOptions,
  ): Promise<FoundTool> {
    const time = createCallTime(options, owner.definition.limits ?? {});
    await waitForListedServer({ tool: known, options }, time, owner);
    const tool = registry.find(known.server, known.originalName) ?? known; // Middleware may know why it is gone.
    return foundFor(ref, tool, { ...options, ...time.left() }, owner);
  }

  async function awaitTool(ref: ServerToolRef, options: CallOptions): Promise<FoundTool> {
    const owner = server(ref.server);
    const time = createCallTime(options, owner.definition.limits ?? {});
    using deadline = operationDeadline(owner, "list", { signal: options.signal, timeoutMs: time.waitMs() });
    try {
      await owner.ensureTools(deadline);
    } catch (thrown) {
      throw unavailable({ server: ref.server, originalName: ref.tool }, thrown);
    }
    const tool = registry.find(ref.server, ref.tool) ?? (await refuseTool(ref, registry));
    return foundFor(ref, tool, { ...options, ...time.left() }, owner);
  }
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

async function refuseName(name: string, { aliases }: ToolRegistry): Promise<never> {
  const near = (await aliases.nearest(name)).map((tool) => tool.name);
  throw unknownTool(`No tool is called ${quoted(name)}${suggestion(near)}`, name);
}

async function refuseTool({ server, tool }: ServerToolRef, { aliases }: ToolRegistry): Promise<never> {
  const near = (await aliases.nearest(tool, server)).map(({ originalName }) => originalName);
  throw unknownTool(
    `Server ${quoted(server)} offers no tool ${quoted(tool)}${suggestion(near)}`,
    tool,
    server,
  );
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
