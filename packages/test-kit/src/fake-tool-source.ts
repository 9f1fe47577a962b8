import {
  type CallOptions,
  type JsonObject,
  McpError,
  type SearchToolsOptions,
  type SourceEvents,
  type ToolCallResult,
  type ToolDefinition,
  type ToolDescriptor,
  type ToolRef,
  type ToolSource,
  type ToolsChanged,
  toMcpError,
} from "@jackfield/mcp-core";
import { createPendingWork } from "./pending-work.ts";

/** A tool and its implementation. */
export interface FakeTool {
  /** The exposed name. Default `mcp__<server>__<tool>`. */
  readonly name?: string | undefined;
  /** Default `fake`. */
  readonly server?: string | undefined;
  /** `inputSchema` defaults to an object without properties. */
  readonly definition: Partial<ToolDefinition> & { readonly name: string };
  /** Default `live`. */
  readonly origin?: ToolDescriptor["origin"] | undefined;
  /** Default `false`. */
  readonly requiresApproval?: boolean | undefined;
  /** Default: a text block with the arguments as JSON. */
  readonly call?:
    | ((args: JsonObject, options: CallOptions) => ToolCallResult | Promise<ToolCallResult>)
    | undefined;
}

/** One call that reached a tool. */
export interface RecordedCall {
  /** The tool as the caller named it. */
  readonly tool: ToolRef;
  readonly args: JsonObject;
  readonly options: CallOptions;
}

/** One search of a source. */
export interface RecordedSearch {
  readonly query: string;
  readonly options: SearchToolsOptions;
}

/** A tool source whose tools are functions that the test provides. */
export interface FakeToolSource extends ToolSource {
  readonly calls: readonly RecordedCall[];
  readonly searches: readonly RecordedSearch[];
  /** Replaces the tools and emits `toolsChanged`, once for each server whose tools differ. */
  replaceTools(tools: readonly FakeTool[]): void;
}

/** Makes a tool source without servers. */
export function createFakeToolSource(tools: readonly FakeTool[]): FakeToolSource {
  return new ScriptedToolSource(tools);
}

interface OfferedTool {
  readonly descriptor: ToolDescriptor;
  readonly call: NonNullable<FakeTool["call"]>;
}

class ScriptedToolSource implements FakeToolSource {
  readonly calls: RecordedCall[] = [];
  readonly searches: RecordedSearch[] = [];
  readonly #pending = createPendingWork();
  readonly #listeners = new Set<(event: ToolsChanged) => void>();
  #offered: ReadonlyMap<string, OfferedTool>;
  #descriptors: readonly ToolDescriptor[];

  constructor(tools: readonly FakeTool[]) {
    this.#offered = offer(tools);
    this.#descriptors = sortedDescriptors(this.#offered);
  }

  tools(): readonly ToolDescriptor[] {
    return this.#descriptors;
  }

  /** Every word of the query occurs in the name or description; an exact name comes first. How tools are ranked is not a fake's business. */
  searchTools(query: string, options: SearchToolsOptions = {}): readonly ToolDescriptor[] {
    const { limit = 10, servers, tools } = options;
    this.searches.push({ query, options });
    const words = query.toLowerCase().split(/\s+/);
    const found = this.#descriptors.filter(({ name, description }) =>
      words.every((word) => `${name} ${description}`.toLowerCase().includes(word)),
    );
    return found
      .filter((tool) => (servers?.includes(tool.server) ?? true) && (tools?.(tool) ?? true))
      .sort((one, other) => Number(other.name === query) - Number(one.name === query))
      .slice(0, limit);
  }

  async callTool(tool: ToolRef, args: JsonObject = {}, options: CallOptions = {}): Promise<ToolCallResult> {
    const offered = this.#find(tool);
    const { server, originalName } = offered.descriptor;
    const details = { server, tool: originalName, phase: "call" } as const;
    const outcome = options.signal?.aborted ? "not-sent" : "unknown";
    const aborted = () => new McpError("MCP_ABORTED", "The caller gave up.", { ...details, outcome });
    const work = async () => {
      this.calls.push({ tool, args, options });
      try {
        return await offered.call(args, options);
      } catch (error) {
        throw toMcpError(error, "MCP_INTERNAL", `The fake tool "${originalName}" failed.`, details);
      }
    };
    return this.#pending.run(work, { signal: options.signal, aborted });
  }

  on<E extends keyof SourceEvents>(_event: E, listener: (event: SourceEvents[E]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  replaceTools(tools: readonly FakeTool[]): void {
    const before = this.#offered;
    this.#offered = offer(tools);
    const changes = changesBetween(before, this.#offered);
    if (changes.length > 0) this.#descriptors = sortedDescriptors(this.#offered);
    for (const change of changes) this.#emit(change);
  }

  #find(tool: ToolRef): OfferedTool {
    const found =
      typeof tool === "string"
        ? this.#offered.get(tool)
        : [...this.#offered.values()].find(
            ({ descriptor }) => descriptor.server === tool.server && descriptor.originalName === tool.tool,
          );
    if (found) return found;
    const name = typeof tool === "string" ? tool : `${tool.tool} of ${tool.server}`;
    throw new McpError("MCP_TOOL_UNKNOWN", `No server offers a tool "${name}".`, {
      phase: "call",
      outcome: "not-sent",
    });
  }

  #emit(change: ToolsChanged): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(change);
      } catch {
        // By contract, a listener that throws does not affect other listeners.
      }
    }
  }
}

function offer(tools: readonly FakeTool[]): ReadonlyMap<string, OfferedTool> {
  const offered = new Map<string, OfferedTool>();
  for (const tool of tools) {
    const descriptor = describeTool(tool);
    if (offered.has(descriptor.name)) throw new Error(`Two fake tools are exposed as "${descriptor.name}".`);
    offered.set(descriptor.name, { descriptor, call: tool.call ?? echoArguments });
  }
  return offered;
}

function describeTool(tool: FakeTool): ToolDescriptor {
  const definition: ToolDefinition = { inputSchema: { type: "object" }, ...tool.definition };
  const server = tool.server ?? "fake";
  return Object.freeze({
    name: tool.name ?? `mcp__${server}__${definition.name}`,
    server,
    originalName: definition.name,
    description: definition.description ?? definition.title ?? "",
    definition,
    origin: tool.origin ?? "live",
    requiresApproval: tool.requiresApproval ?? false,
  });
}

function echoArguments(args: JsonObject): ToolCallResult {
  return { content: [{ type: "text", text: JSON.stringify(args) }] };
}

function sortedDescriptors(offered: ReadonlyMap<string, OfferedTool>): readonly ToolDescriptor[] {
  const descriptors = [...offered.values()].map(({ descriptor }) => descriptor);
  return Object.freeze(descriptors.sort((a, b) => (a.name < b.name ? -1 : 1)));
}

function changesBetween(
  before: ReadonlyMap<string, OfferedTool>,
  after: ReadonlyMap<string, OfferedTool>,
): readonly ToolsChanged[] {
  const changes = new Map<string, { added: string[]; removed: string[]; changed: string[] }>();
  const note = (kind: "added" | "removed" | "changed", { descriptor }: OfferedTool) => {
    const change = changes.get(descriptor.server) ?? { added: [], removed: [], changed: [] };
    change[kind].push(descriptor.name);
    changes.set(descriptor.server, change);
  };
  for (const [name, tool] of before) if (!after.has(name)) note("removed", tool);
  for (const [name, tool] of after) {
    const old = before.get(name);
    if (!old) note("added", tool);
    else if (JSON.stringify(old.descriptor) !== JSON.stringify(tool.descriptor)) note("changed", tool);
  }
  return [...changes].map(([server, change]) => ({ server, ...change }));
}
