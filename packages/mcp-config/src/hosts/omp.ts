import type { DefinedIn } from "@jackfield/mcp-core";
import { diagnose, type Report } from "../diagnostic-codes.ts";
import type { JsonPath } from "../documents/json-path.ts";
import { type JsonMap, kindOf } from "../documents/json-value.ts";
import { COMMON_FIELDS, entryDialect, type RemarkOnEntry } from "../entries/entry-dialect.ts";
import { quote } from "../server-name.ts";
import { describeLocation } from "../sources/config-problem.ts";
import { braces, leadingCommand } from "../variable-syntax.ts";
import {
  type FindingContext,
  type HostDialect,
  type HostDocument,
  type HostSurroundings,
  type ReadLists,
  serversUnder,
} from "./host-dialect.ts";
import { joined, upward, within } from "./host-paths.ts";

/** A timeout below this counts seconds, as in files that were written for Claude. */
const LEAST_MS = 1000;

/**
 * Without a type an entry is a child process. A value that begins with `!` is a command, which runs only with `runCommands`. The
 * files at a project's root, which other hosts read as well, are weaker than the user's own.
 */
export const OMP: HostDialect = {
  id: "omp",
  title: "oh-my-pi",
  format: "json",
  files: [
    {
      kind: "project",
      scope: "project",
      paths: upward(".omp/mcp.json", ".omp/.mcp.json"),
    },
    { kind: "user", scope: "user", paths: within(agentFolder, "mcp.json", ".mcp.json") },
    { kind: "project-root", scope: "project", paths: upward("mcp.json", ".mcp.json") },
  ],
  servers: serversUnder("mcpServers"),
  entry: entryDialect({
    transport: { field: "type", types: { stdio: "stdio", http: "http", sse: "sse" }, untypedUrl: "refused" },
    fields: {
      ...COMMON_FIELDS,
      timeoutMs: ["timeout"],
      lazy: "lazy",
      include: "enabledTools",
      exclude: "disabledTools",
    },
    switches: ["enabled"],
    emptyIncludesAll: true,
    oauth: { object: "oauth", members: { scope: "scopes" } },
    extraFields: ["auth", "requestIdFormat", "envPolicy", "envLiteralKeys", "headerPolicy"],
    reshape,
  }),
  variables: {
    syntaxes: [braces()],
    valueSyntaxes: [leadingCommand],
    bareNames: true,
    whenUnset: "literal",
    ownEnv: "remote",
  },
  lists: readLists,
};

function reshape(
  entry: JsonMap,
  remark: RemarkOnEntry,
  _platform: unknown,
  { scope, file = "" }: DefinedIn,
): JsonMap {
  const isOwn = scope !== "project" || /[\\/]\.omp[\\/][^\\/]*$/.test(file);
  return withMilliseconds(isOwn ? withSwitch(entry) : entry, remark);
}

/** In oh-my-pi's own files, and in no others, a switch may be a text. */
function withSwitch(entry: JsonMap): JsonMap {
  const written = typeof entry.enabled === "string" ? entry.enabled.toLowerCase() : undefined;
  if (written === "true" || written === "1") return { ...entry, enabled: true };
  return written === "false" || written === "0" ? { ...entry, enabled: false } : entry;
}

function withMilliseconds(entry: JsonMap, remark: RemarkOnEntry): JsonMap {
  const { timeout } = entry;
  if (typeof timeout !== "number" || timeout <= 0 || timeout >= LEAST_MS) return entry;
  const timeoutMs = Math.round(timeout * 1000);
  remark("legacy-shape", "timeout", `"timeout" below ${LEAST_MS} is read as seconds; write ${timeoutMs}.`);
  return { ...entry, timeout: timeoutMs };
}

/**
 * `disabledServers` switches servers off by name, `enabledServers` switches others on whatever their entries say. A project can
 * only do the first. A single name in place of the list `disabledServers` switches off as well.
 */
function readLists(
  documents: readonly HostDocument[],
  { isStandaloneFile }: FindingContext,
  report: Report,
): ReturnType<ReadLists> {
  const own = documents.filter(({ scope }) => isStandaloneFile || scope !== "project");
  const disabled = new Set(documents.flatMap((document) => namesIn(document, "disabledServers", report)));
  for (const { content } of documents) disabled.add(content.disabledServers);
  const enabled = new Set(own.flatMap((document) => namesIn(document, "enabledServers", report)));
  return ({ name }) => {
    if (disabled.has(name)) return { disabledBy: "disabledServers" };
    return enabled.has(name) ? { isSwitchedOn: true } : undefined;
  };
}

function namesIn({ content, document }: HostDocument, list: string, report: Report): readonly unknown[] {
  const names = content[list];
  const tell = (path: JsonPath, kind: string) => {
    const location = document?.locate(path) ?? {};
    const text = `${quote(list)} must be a list of names, not ${kind}`;
    report(diagnose("invalid-field", `${describeLocation(location)}: ${text}.`, location));
  };
  if (!Array.isArray(names)) {
    if (names !== undefined) tell([list], kindOf(names));
    return [];
  }
  for (const [index, name] of names.entries()) {
    if (typeof name !== "string") tell([list, index], `of ${kindOf(name)}`);
  }
  return names;
}

/** A profile has its own files and does not see the user's others. */
function agentFolder(at: HostSurroundings): string {
  const profile = at.env.OMP_PROFILE || at.env.PI_PROFILE || "";
  const isName = /^[\w.-]+$/.test(profile) && !/^\.+$/.test(profile);
  return joined(at, at.home, isName ? `.omp/profiles/${profile}/agent` : ".omp/agent");
}
