import { isRecord } from "@jackfield/mcp-core";
import { type JsonMap, kindOf, ownMember } from "../documents/json-value.ts";
import type { WrittenServer } from "../entries/written-server.ts";
import { checkFolderTrust } from "./gemini-trust.ts";
import type { FindServers, HostDocument, ListedServer, ListVerdict, ReadLists } from "./host-dialect.ts";
import { brokenPolicy, ListReader } from "./list-reader.ts";

const NO_SETTINGS = ["extension", "enablement", "trusted-folders"];
const REQUIRED = ["admin", "mcp", "requiredConfig"];

/** An administrator's settings hold servers as all settings do, and required ones, which every user gets whatever other settings say. */
export const systemServers: FindServers = (root) => {
  const own = { path: ["mcpServers"] };
  return hasRequired(root) ? [{ path: REQUIRED }, own] : [own];
};

/**
 * Applies the lists of allowed and excluded names; the second list wins. Like the host, it takes names in the case that is written
 * where they are allowed, and in any case where they are excluded or switched off. An administrator's rules come first, and let
 * nothing through if they cannot be read. A switch that cannot be read counts as off.
 */
export const readGeminiLists: ReadLists = (documents, _context, report) => {
  const reader = new ListReader(report);
  const settings = documents.filter(({ kind }) => !NO_SETTINGS.includes(kind));
  const allowed = settings
    .map((document) => namesIn(document, "allowed", reader))
    .find((names) => names !== undefined);
  const excluded = settings.flatMap((document) => namesIn(document, "excluded", reader)?.map(idOf) ?? []);
  const isOff = settings.map((document) => isSwitchedOff(document, reader)).includes(true);
  const configs = settings
    .map((document) => reader.value(document, ["admin", "mcp", "config"]))
    .filter(saysSomething);
  for (const document of documents) checkFolderTrust(document, reader);
  const switchedOff = new Set(documents.flatMap((document) => switchedOffIn(document, reader)));
  const denyAllVerdict = brokenPolicy(documents, "system") ?? reader.denyAllVerdict;
  return (server) => {
    const id = idOf(server.name);
    if (denyAllVerdict) return denyAllVerdict;
    if (isOff) return { disabledBy: "admin.mcp.enabled" };
    const verdict = configVerdict(configs, server);
    if (verdict) return verdict;
    if (excluded.includes(id)) return { disabledBy: "mcp.excluded" };
    if (allowed && !allowed.includes(server.name)) return { disabledBy: "mcp.allowed" };
    return switchedOff.has(id) ? { disabledBy: "mcp-server-enablement.json" } : undefined;
  };
};

/** The name under which the host keeps out a server and its switch. */
function idOf(name: string): string {
  return name.trim().toLowerCase();
}

function namesIn(document: HostDocument, list: "allowed" | "excluded", reader: ListReader) {
  const names = reader.list(document, ["mcp", list]);
  return names?.filter((name, index): name is string => {
    if (typeof name === "string") return true;
    const wanted = `the name of a server, not ${kindOf(name)}`;
    reader.refuse(document, ["mcp", list, index], wanted, "It is left out; the other names count.");
    return false;
  });
}

function isSwitchedOff(document: HostDocument, reader: ListReader): boolean {
  const path = ["admin", "mcp", "enabled"];
  const isOn = reader.value(document, path);
  if (isOn === undefined || typeof isOn === "boolean") return isOn === false;
  reader.refuse(document, path, `true or false, not ${kindOf(isOn)}`, "So no server is used.");
  return true;
}

/** The names that the file with the state of each server switches off. */
function switchedOffIn(document: HostDocument, reader: ListReader): readonly string[] {
  const { kind, content } = document;
  if (kind !== "enablement") return [];
  return Object.keys(content).flatMap((name) => {
    const state = content[name];
    const isOn = isRecord(state) ? (state.enabled ?? true) : undefined;
    if (typeof isOn === "boolean") return isOn ? [] : [idOf(name)];
    const wanted = `{ "enabled": true } or { "enabled": false }`;
    reader.refuse(document, [name], wanted, "So the server is switched off.");
    return [idOf(name)];
  });
}

/** An empty list restricts nothing. */
function saysSomething(config: unknown): boolean {
  return config !== undefined && !(isRecord(config) && Object.keys(config).length === 0);
}

/**
 * Only servers in the administrator's list may be used. The host reaches them as that list says, not as the user's entry does, so a
 * server whose entry differs is not used at all.
 */
function configVerdict(
  configs: readonly unknown[],
  { name, written, definedIn }: ListedServer,
): ListVerdict | undefined {
  const isRequired = definedIn.pointer?.startsWith(`/${REQUIRED.join("/")}/`) ?? false;
  if (isRequired) return undefined;
  const because = configs
    .map((config) => configFault(isRecord(config) ? ownMember(config, name) : undefined, written))
    .find((fault) => fault !== undefined);
  return because === undefined ? undefined : { disabledBy: "admin.mcp.config", because };
}

function configFault(listed: unknown, { transport, url }: WrittenServer): string | undefined {
  if (!isRecord(listed)) return "the server is not listed there";
  if (listed.url !== url || (listed.type === "sse") !== (transport === "sse")) {
    return "another server has this name there";
  }
  const hasTools = [listed.includeTools, listed.excludeTools].some((tools) => tools !== undefined);
  return hasTools ? "it has a list of tools there, which Jackfield does not apply" : undefined;
}

function hasRequired({ admin }: JsonMap): boolean {
  return isRecord(admin) && isRecord(admin.mcp) && admin.mcp.requiredConfig !== undefined;
}
