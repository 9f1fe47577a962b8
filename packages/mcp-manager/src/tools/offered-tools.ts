import {
  deepFreeze,
  type ServerDefinition,
  type ToolDefinition,
  type ToolDescriptor,
  type ToolFilter,
  type ToolListPolicy,
  thrownMessage,
} from "@jackfield/mcp-core";
import { matchesPattern } from "@jackfield/mcp-tools/name-pattern";
import { SCHEMA_NAMES, unparsedText } from "@jackfield/mcp-tools/unparsed-schema";
import { isUnawaited } from "./tool-naming.ts";

/** What decides which tools of a server are offered. */
export interface OfferRules {
  readonly policies: readonly ToolListPolicy[];
  /** Called for every tool that is kept back, except by a filter. */
  readonly blocked: (tool: ToolDescriptor, reason: string) => void;
}

/** A server's list as it was received, and the names its tools got. */
export interface NamedListing {
  readonly server: ServerDefinition;
  readonly listed: readonly ToolDefinition[];
  readonly origin: "live" | "cache";
  /** Exposed names by original names. */
  readonly names: ReadonlyMap<string, string>;
}

/** Describes a tool under its exposed name, before any policy has seen it. */
export type DescribeTool = (tool: {
  readonly server: ServerDefinition;
  readonly definition: ToolDefinition;
  readonly origin: "live" | "cache";
  readonly name: string;
}) => ToolDescriptor;

const NAMESAKE = { blocked: "an earlier tool of the server has the same name" };

/**
 * The tools offered of a server's list, by original name: those that its filter lets through and no policy blocks. Of two tools with
 * one name the first wins, so that a later one cannot take its place.
 */
export function offeredTools(
  { server, listed, origin, names }: NamedListing,
  { policies, blocked }: OfferRules,
  describe: DescribeTool,
): Map<string, ToolDescriptor> {
  const offered = new Map<string, ToolDescriptor>();
  /** Needed only if there are duplicates: `names` has one entry per original name. */
  const seen = names.size < listed.length ? new Set<string>() : undefined;
  for (const definition of listed) {
    const name = names.get(definition.name);
    if (name === undefined || !isIncluded(server.tools, definition.name)) continue;
    const tool = describe({ server, definition, origin, name });
    const decided = seen?.has(definition.name) ? NAMESAKE : applyPolicies(policies, tool);
    seen?.add(definition.name);
    if ("blocked" in decided) blocked(tool, decided.blocked);
    else offered.set(definition.name, decided);
  }
  return offered;
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
      if (isUnawaited(decided) || typeof decided.definition !== "object")
        return { blocked: "a tool policy returned something that is not a tool" };
      if (decided === offered) continue; // Most tools pass as they are.
      const { name, server, originalName } = tool; // A policy cannot change which tool it is.
      offered = Object.freeze({ ...decided, name, server, originalName });
    } catch (error) {
      return { blocked: `a tool policy threw: ${thrownMessage(error)}` };
    }
  }
  return offered;
}

/**
 * Freezes a definition, because the catalog, the policies and every caller share it ([L13], [L14]). A schema that its catalog has not
 * parsed yet is skipped: it is frozen when first read, and reading it here would parse the schemas of every tool at each start.
 */
export function frozenDefinition(definition: ToolDefinition): ToolDefinition {
  if (Object.isFrozen(definition)) return definition;
  for (const key in definition) {
    if (isUnparsed(definition, key)) continue;
    deepFreeze(definition[key as keyof ToolDefinition]);
  }
  return Object.freeze(definition);
}

function isUnparsed(definition: ToolDefinition, key: string): boolean {
  const isSchema = key === SCHEMA_NAMES[0] || key === SCHEMA_NAMES[1];
  return isSchema && unparsedText(definition, key) !== undefined;
}

/** Whether a server's filter lets a tool through, by its original name. `exclude` beats `include`. */
export function isIncluded(filter: ToolFilter | undefined, tool: string): boolean {
  if (filter === undefined) return true;
  const { include, exclude = [] } = filter;
  const isNamed = (patterns: readonly string[]) => patterns.some((pattern) => matchesPattern(pattern, tool));
  return (include === undefined || isNamed(include)) && !isNamed(exclude);
}
