import { isDeepStrictEqual } from "node:util";
import type {
  ServerDefinition,
  ToolDefinition,
  ToolDescriptor,
  ToolListPolicy,
  ToolsChanged,
} from "@jackfield/mcp-core";
import { isIncluded } from "./tool-filter.ts";
import type { ToolNaming } from "./tool-naming.ts";

export interface ToolRegistryOptions {
  readonly naming: ToolNaming;
  readonly policies: readonly ToolListPolicy[];
  readonly approval: boolean;
  /** Told of every tool a policy keeps back. */
  readonly blocked: (tool: ToolDescriptor, reason: string) => void;
}

/** Which tools are on offer: one slice a server, replaced whole, by the exact name of its owner ([C14]). */
export interface ToolRegistry {
  /** Sorted by name, frozen, the same array while nothing changed; identical content gives identical bytes ([C16]). */
  tools(): readonly ToolDescriptor[];
  get(name: string): ToolDescriptor | undefined;
  find(server: string, originalName: string): ToolDescriptor | undefined;
  /** How many tools of the server are on offer. */
  count(server: string): number;
  /** @returns what changed for a caller, or `undefined` if nothing did. */
  replace(
    server: ServerDefinition,
    tools: readonly ToolDefinition[],
    origin: "live" | "cache",
  ): ToolsChanged | undefined;
  remove(server: string): ToolsChanged | undefined;
}

type Slice = ReadonlyMap<string, ToolDescriptor>;

export function createToolRegistry(options: ToolRegistryOptions): ToolRegistry {
  const slices = new Map<string, Slice>();
  let byName = new Map<string, ToolDescriptor>();
  let sorted: readonly ToolDescriptor[] = Object.freeze([]);

  function store(server: string, slice: Slice | undefined): ToolsChanged | undefined {
    const before = slices.get(server) ?? new Map<string, ToolDescriptor>();
    const after = slice ?? new Map<string, ToolDescriptor>();
    if (isDeepStrictEqual([...before.values()], [...after.values()])) return undefined;
    if (slice === undefined) slices.delete(server);
    else slices.set(server, slice);
    byName = new Map([...slices.values()].flatMap((owned) => [...owned]));
    sorted = Object.freeze([...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1)));
    return difference(server, before, after);
  }

  return {
    tools: () => sorted,
    get: (name) => byName.get(name),
    find: (server, originalName) =>
      [...(slices.get(server)?.values() ?? [])].find((tool) => tool.originalName === originalName),
    count: (server) => slices.get(server)?.size ?? 0,
    replace: (server, tools, origin) => store(server.name, describe(options, server, tools, origin)),
    remove: (server) => store(server, undefined),
  };
}

function describe(
  { naming, policies, approval, blocked }: ToolRegistryOptions,
  server: ServerDefinition,
  tools: readonly ToolDefinition[],
  origin: "live" | "cache",
): Slice {
  // Names come from the whole list, so that a filter cannot rename what it lets through.
  const names = naming(
    server.name,
    tools.map((tool) => tool.name),
  );
  const slice = new Map<string, ToolDescriptor>();
  for (const definition of tools.filter((tool) => isIncluded(server.tools, tool.name))) {
    const name = names.get(definition.name) ?? definition.name;
    const description = definition.description ?? definition.title ?? definition.annotations?.title ?? "";
    const offered = {
      name,
      server: server.name,
      originalName: definition.name,
      description,
      definition,
      origin,
    };
    const tool = applyPolicies(policies, Object.freeze({ ...offered, requiresApproval: approval }));
    if ("blocked" in tool) blocked({ ...offered, requiresApproval: approval }, tool.blocked);
    else slice.set(name, tool);
  }
  return slice;
}

function applyPolicies(
  policies: readonly ToolListPolicy[],
  tool: ToolDescriptor,
): ToolDescriptor | { readonly blocked: string } {
  let offered = tool;
  for (const policy of policies) {
    try {
      const decided = policy(offered);
      if ("blocked" in decided) return decided;
      // A policy changes what is said of a tool, never whose it is.
      offered = Object.freeze({
        ...decided,
        name: tool.name,
        server: tool.server,
        originalName: tool.originalName,
      });
    } catch (error) {
      return { blocked: `a tool policy threw: ${error instanceof Error ? error.message : String(error)}` };
    }
  }
  return offered;
}

/** What a caller can notice. That a tool is live now and not from the catalog is not a change. */
function difference(server: string, before: Slice, after: Slice): ToolsChanged | undefined {
  const added = [...after.keys()].filter((name) => !before.has(name));
  const removed = [...before.keys()].filter((name) => !after.has(name));
  const changed = [...after.values()]
    .filter((tool) => {
      const old = before.get(tool.name);
      return old !== undefined && !isDeepStrictEqual({ ...old, origin: "" }, { ...tool, origin: "" });
    })
    .map((tool) => tool.name);
  return added.length + removed.length + changed.length === 0
    ? undefined
    : { server, added, removed, changed };
}
