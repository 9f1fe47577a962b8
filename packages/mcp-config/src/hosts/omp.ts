import { COMMON_FIELDS, type RemarkOnEntry, type ReshapeContext } from "../entry/entry-dialect.ts";
import type { JsonMap } from "../read/json-value.ts";
import { braces, leadingCommand } from "../resolve/variable-syntax.ts";
import { type HostDialect, type HostSurroundings, serversUnder } from "./host-dialect.ts";
import { inHome, joined, upward, within } from "./host-paths.ts";

/** A timeout below this counts seconds, as in files that were written for Claude. */
const LEAST_MS = 1000;

const ALL = ["project", "user", "project-root"];

/**
 * Without a type an entry is a child process. A value that begins with `!` is a command, which runs only with `runCommands`. The
 * files at a project's root, which other hosts read as well, are weaker than the user's own.
 */
export const OMP: HostDialect = {
  id: "omp",
  title: "oh-my-pi",
  format: "json",
  files: [
    { kind: "project", scope: "project", paths: upward(".omp/mcp.json", ".omp/.mcp.json") },
    { kind: "user", scope: "user", paths: within(agentFolder, "mcp.json", ".mcp.json") },
    { kind: "project-root", scope: "project", paths: upward("mcp.json", ".mcp.json") },
  ],
  misplaced: { user: inHome(".omp/mcp.json") },
  servers: serversUnder("mcpServers"),
  entry: {
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
  },
  variables: {
    syntaxes: [braces()],
    valueSyntaxes: [leadingCommand],
    bareNames: true,
    whenUnset: "literal",
    ownEnv: "remote",
  },
  switches: [
    { in: ALL, path: ["disabledServers"], form: "off", title: "disabledServers" },
    { in: ALL, path: ["enabledServers"], form: "on", title: "enabledServers" },
  ],
};

function reshape(entry: JsonMap, { remark, definedIn: { scope, file = "" } }: ReshapeContext): JsonMap {
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

/** A profile has its own files and does not see the user's others. */
function agentFolder(at: HostSurroundings): string {
  const profile = at.env.OMP_PROFILE || at.env.PI_PROFILE || "";
  const isName = /^[\w.-]+$/.test(profile) && !/^\.+$/.test(profile);
  return joined(at, at.home, isName ? `.omp/profiles/${profile}/agent` : ".omp/agent");
}
