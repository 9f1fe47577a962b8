import { isRecord } from "@jackfield/mcp-core";
import { COMMON_FIELDS, type HostFault, type RemarkOnEntry } from "../entry/entry-dialect.ts";
import { quote } from "../entry/server-name.ts";
import type { JsonMap, JsonPath } from "../read/json-value.ts";
import { NO_VARIABLES } from "../resolve/variables.ts";
import { type FileRemark, type HostDialect, type HostDocument, serversUnder } from "./host-dialect.ts";
import { homeFolder, inDirectory, namedFolder, systemFolder, upward, within } from "./host-paths.ts";

const HOME = namedFolder("CODEX_HOME", homeFolder(".codex"));

const SYSTEM_HOME = systemFolder({
  darwin: "/etc/codex",
  win32: "%ProgramData%\\OpenAI\\Codex",
  other: "/etc/codex",
});

/**
 * Layers of TOML, merged field by field. Variables are not expanded but named: `env_vars`, `env_http_headers`,
 * `bearer_token_env_var`.
 */
export const CODEX: HostDialect = {
  id: "codex",
  title: "Codex",
  format: "toml",
  files: [
    { kind: "project", scope: "project", paths: upward(".codex/config.toml") },
    { kind: "user", scope: "user", paths: within(HOME, "config.toml") },
    { kind: "system", scope: "user", paths: within(SYSTEM_HOME, "config.toml") },
  ],
  misplaced: {
    user: within(HOME, "mcp.json", "config.json", "mcp.toml", "config.yaml"),
    project: upward(".codex/mcp.json", ".codex/config.json", ".codex/mcp.toml"),
  },
  servers: serversUnder("mcp_servers"),
  entry: {
    transport: { types: {}, untypedUrl: "http" },
    fields: {
      ...COMMON_FIELDS,
      envPassthrough: "env_vars",
      headers: "http_headers",
      headersFromEnv: "env_http_headers",
      bearerTokenEnv: "bearer_token_env_var",
      connectTimeoutMs: [{ field: "startup_timeout_sec", unit: "seconds" }, "startup_timeout_ms"],
      timeoutMs: [{ field: "tool_timeout_sec", unit: "seconds" }],
      include: "enabled_tools",
      exclude: "disabled_tools",
      required: "required",
    },
    switches: ["enabled"],
    oauth: {
      object: "oauth",
      members: { client_id: "clientId" },
      fields: { scopes: "scopes", oauth_resource: "resource" },
    },
    extraFields: [
      "tools",
      "default_tools_approval_mode",
      "supports_parallel_tool_calls",
      "experimental_environment",
      "name",
    ],
    reshape: (entry, { remark }) => ({ ...entry, env_vars: localVariables(entry.env_vars, remark) }),
    writtenAt,
    removedFields: ({ env_vars }) => {
      const others = Array.isArray(env_vars) ? env_vars.filter(isOfElsewhere) : [];
      return others.length > 0 ? { env_vars: others } : undefined;
    },
    findFault,
  },
  variables: NO_VARIABLES,
  layers: "joined-by-field",
  administered: (at) => [
    ...inDirectory(at, at.platform === "win32" ? HOME(at) : "/etc/codex", "managed_config.toml"),
    ...within(SYSTEM_HOME, "requirements.toml")(at),
  ],
  remarksOnFile: remarksOnProfile,
};

/**
 * A profile is a file of its own between the project's layers and the user's. Since 0.134 it is selected only when Codex is started
 * (`--profile`). Before, a name in the user's file selected settings that could hold no servers.
 */
function remarksOnProfile({ content: { profile }, scope }: HostDocument): readonly FileRemark[] {
  if (scope === "project" || typeof profile !== "string") return [];
  const text = `"profile" adds no servers: Codex reads ${quote(`${profile}.config.toml`)} only when it is started with --profile. Put servers that you always want into this file.`;
  return [{ code: "unread-profile", path: ["profile"], text }];
}

/** `env_vars` holds names, or records with a name and a source; only local variables can be passed on here. */
function localVariables(written: unknown, remark: RemarkOnEntry): unknown {
  if (!Array.isArray(written)) return written;
  for (const [index, variable] of written.entries()) {
    if (!isOfElsewhere(variable) || variable.source === "remote") continue;
    const text = `"env_vars" has a variable whose "source" is neither "local" nor "remote"; it is not passed on.`;
    remark("invalid-field", ["env_vars", index], text);
  }
  return written
    .filter((variable) => !isOfElsewhere(variable))
    .map((variable) => (isRecord(variable) ? variable.name : variable));
}

function writtenAt(path: JsonPath, { env_vars: written }: JsonMap): JsonPath {
  const [field, index] = path;
  if (field !== "env_vars" || typeof index !== "number" || !Array.isArray(written)) return path;
  const at = [...written.keys()].filter((place) => !isOfElsewhere(written[place]))[index] ?? index;
  return isRecord(written[at]) ? [field, at, "name"] : [field, at];
}

function isOfElsewhere(variable: unknown): variable is JsonMap {
  return isRecord(variable) && variable.source !== undefined && variable.source !== "local";
}

const PROCESS_ONLY = ["args", "env", "env_vars", "cwd"];
const REMOTE_ONLY = [
  ...["bearer_token_env_var", "http_headers", "env_http_headers"],
  ...["oauth", "oauth_resource", "scopes"],
];

/** Codex refuses an entry with fields of the other transport, and one that holds its token itself. */
function findFault(entry: JsonMap): HostFault | undefined {
  if (Object.hasOwn(entry, "bearer_token")) {
    const text = `"bearer_token" is refused by Codex; name a variable in "bearer_token_env_var".`;
    return { field: "bearer_token", text };
  }
  const isRemoteServer = Object.hasOwn(entry, "url");
  const field = (isRemoteServer ? PROCESS_ONLY : REMOTE_ONLY).find((name) => Object.hasOwn(entry, name));
  if (field === undefined) return undefined;
  return {
    field,
    text: `"${field}" is refused by Codex together with "${isRemoteServer ? "url" : "command"}".`,
  };
}
