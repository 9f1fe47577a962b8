import { isMap, type JsonMap, ownMember } from "../documents/json-value.ts";
import type { WrittenServer } from "../entries/written-server.ts";
import type { FindServers, HostDocument, ListedServer, ListVerdict, ReadLists } from "./host-dialect.ts";

const REQUIRED = ["admin", "mcp", "requiredConfig"];

/** An administrator's settings have servers as all settings do, and those that everybody gets whatever else says. */
export const systemServers: FindServers = (root) => {
  const own = { path: ["mcpServers"] };
  return ownPart(root, "requiredConfig") === undefined ? [own] : [{ path: REQUIRED }, own];
};

/** Names that may be used and names that may not; the second list wins. Above both is what an administrator says. */
export function readGeminiLists(documents: readonly HostDocument[]): ReturnType<ReadLists> {
  const settings = documents.filter(({ kind }) => kind !== "extension");
  const allowed = settings
    .map(({ content }) => namesIn(content, "allowed"))
    .find((names) => names !== undefined);
  const excluded = settings.flatMap(({ content }) => namesIn(content, "excluded") ?? []);
  const isOff = settings.some(({ content }) => ownPart(content, "enabled") === false);
  const configs = settings.map(({ content }) => ownPart(content, "config")).filter(saysSomething);
  const switches = documents.filter(({ kind }) => kind === "enablement").map(({ content }) => content);
  return (server) => {
    const { name } = server;
    if (isOff) return { disabledBy: "admin.mcp.enabled" };
    const verdict = configVerdict(configs, server);
    if (verdict) return verdict;
    if (excluded.includes(name)) return { disabledBy: "mcp.excluded" };
    if (allowed && !allowed.includes(name)) return { disabledBy: "mcp.allowed" };
    const isSwitchedOff = switches.some((content) => {
      const state = ownMember(content, name);
      return isMap(state) && state.enabled === false;
    });
    return isSwitchedOff ? { disabledBy: "mcp-server-enablement.json" } : undefined;
  };
}

/** An empty list restricts nothing. */
function saysSomething(config: unknown): boolean {
  return config !== undefined && !(isMap(config) && Object.keys(config).length === 0);
}

/**
 * The administrator's list of servers has those that may be used. The host reaches each of them in the administrator's way instead of
 * the user's own, so one that differs in this is not used at all.
 */
function configVerdict(
  configs: readonly unknown[],
  { name, written, definedIn }: ListedServer,
): ListVerdict | undefined {
  const isRequired = definedIn.pointer?.startsWith(`/${REQUIRED.join("/")}/`) ?? false;
  if (isRequired) return undefined;
  const because = configs
    .map((config) => configFault(isMap(config) ? ownMember(config, name) : undefined, written))
    .find((fault) => fault !== undefined);
  return because === undefined ? undefined : { disabledBy: "admin.mcp.config", because };
}

function configFault(listed: unknown, { transport, url }: WrittenServer): string | undefined {
  if (!isMap(listed)) return "the server is not listed there";
  if (listed.url !== url || (listed.type === "sse") !== (transport === "sse")) {
    return "another server has this name there";
  }
  const hasTools = [listed.includeTools, listed.excludeTools].some((tools) => tools !== undefined);
  return hasTools ? "it has a list of tools there, which Jackfield does not take over" : undefined;
}

function namesIn({ mcp }: JsonMap, list: "allowed" | "excluded"): readonly unknown[] | undefined {
  const names = isMap(mcp) ? mcp[list] : undefined;
  return Array.isArray(names) ? names : undefined;
}

function ownPart({ admin }: JsonMap, part: "enabled" | "config" | "requiredConfig"): unknown {
  return isMap(admin) && isMap(admin.mcp) ? admin.mcp[part] : undefined;
}
