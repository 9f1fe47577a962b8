import { COMMON_FIELDS, COMMON_TRANSPORT, type ReshapeContext } from "../entry/entry-dialect.ts";
import type { JsonMap } from "../read/json-value.ts";
import { braces, dollarName, percentName } from "../resolve/variable-syntax.ts";
import { type HostDialect, serversUnder } from "./host-dialect.ts";
import { inHome, joined, namedFile, systemFolder, upward, within } from "./host-paths.ts";

const SYSTEM = systemFolder({
  darwin: "/Library/Application Support/GeminiCli",
  win32: "%ProgramData%\\gemini-cli",
  other: "/etc/gemini-cli",
});

/** The kinds of files that hold settings. */
const SETTINGS = ["project", "user", "system-defaults"];

/**
 * Settings with comments in several layers. A URL without a type is Streamable HTTP, as the program does it; its documentation says
 * SSE. `httpUrl` is the older name and wins.
 */
export const GEMINI: HostDialect = {
  id: "gemini",
  title: "Gemini CLI",
  format: "jsonc",
  files: [
    { kind: "project", scope: "project", paths: upward(".gemini/settings.json") },
    { kind: "user", scope: "user", paths: inHome(".gemini/settings.json") },
    {
      kind: "system-defaults",
      scope: "user",
      paths: namedFile("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", within(SYSTEM, "system-defaults.json")),
    },
    {
      kind: "extension",
      scope: "extension",
      paths: (at) => [
        { file: joined(at, at.home, ".gemini/extensions/*/gemini-extension.json"), isPattern: true },
      ],
    },
    {
      kind: "enablement",
      scope: "user",
      servers: "none",
      paths: inHome(".gemini/mcp-server-enablement.json"),
    },
  ],
  misplaced: {
    user: inHome(".gemini/mcp.json", ".gemini/config.json", ".gemini/mcp_config.json"),
    project: upward(".gemini/mcp.json", ".gemini/config.json", ".gemini/mcp_config.json"),
  },
  servers: serversUnder("mcpServers"),
  entry: {
    transport: COMMON_TRANSPORT,
    fields: {
      ...COMMON_FIELDS,
      url: ["httpUrl", "url"],
      timeoutMs: ["timeout"],
      include: "includeTools",
      exclude: "excludeTools",
      trust: "trust",
      description: "description",
    },
    oauth: { object: "oauth" },
    outdated: { httpUrl: "deprecated-field" },
    extraFields: ["tcp", "authProviderType", "targetAudience", "targetServiceAccount"],
    findFault: ({ tcp, command, httpUrl, url }) => {
      if (tcp === undefined || [command, httpUrl, url].some((way) => way !== undefined)) return undefined;
      return { field: "tcp", text: `"tcp" is an address that its host can reach, but Jackfield cannot.` };
    },
    reshape,
    removedFields,
  },
  variables: {
    syntaxes: [
      braces({ places: ["extensionPath", "workspacePath", "/", "pathSeparator"] }),
      dollarName(),
      percentName,
    ],
    whenUnset: "literal",
    whenUnsetInValues: "empty",
    ownEnv: "remote",
  },
  switches: [
    { in: SETTINGS, path: ["mcp", "excluded"], form: "off", ignoresCase: true, title: "mcp.excluded" },
    { in: SETTINGS, path: ["mcp", "allowed"], form: "only", title: "mcp.allowed" },
    { in: ["enablement"], path: [], form: "map", ignoresCase: true, title: "mcp-server-enablement.json" },
    { in: ["user", "system-defaults"], path: ["admin", "mcp"], form: "rules", title: "admin.mcp" },
  ],
  administered: namedFile("GEMINI_CLI_SYSTEM_SETTINGS_PATH", within(SYSTEM, "settings.json")),
};

/** `httpUrl` wins over a `type` that contradicts it. An extension may not set `trust`. */
function reshape(entry: JsonMap, { remark, definedIn: { scope } }: ReshapeContext): JsonMap {
  if (entry.trust === undefined && entry.httpUrl === undefined) return entry;
  const { type, trust, ...rest } = entry;
  const isTypeIgnored = isOutdone(type, entry.httpUrl);
  if (isTypeIgnored) {
    remark("unused-field", "type", `"type" is ignored; "httpUrl" wins, which is Streamable HTTP.`);
  }
  const isTrustful = trust === undefined || scope !== "extension";
  if (!isTrustful) remark("self-approval", "trust", `"trust" is ignored; an extension cannot set it.`);
  return { ...rest, ...(isTypeIgnored ? {} : { type }), ...(isTrustful ? { trust } : {}) };
}

/** The type that `reshape` takes away. */
function removedFields({ type, httpUrl }: JsonMap): JsonMap | undefined {
  return isOutdone(type, httpUrl) ? { type } : undefined;
}

function isOutdone(type: unknown, httpUrl: unknown): boolean {
  return type !== undefined && type !== null && httpUrl !== undefined && type !== "http";
}
