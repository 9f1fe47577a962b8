import { isRecord } from "@jackfield/mcp-core";
import { diagnose, type Report } from "../diagnostic-codes.ts";
import type { JsonPath } from "../documents/json-path.ts";
import type { JsonMap } from "../documents/json-value.ts";
import { COMMON_FIELDS, entryDialect, type RemarkOnEntry } from "../entries/entry-dialect.ts";
import { quote } from "../server-name.ts";
import { describeLocation } from "../sources/config-problem.ts";
import { realFileOf } from "../text-file.ts";
import { NO_VARIABLES } from "../variables.ts";
import { readRequirements } from "./codex-requirements.ts";
import {
  type FindingContext,
  type HostDialect,
  type HostDocument,
  type ReadLists,
  serversUnder,
} from "./host-dialect.ts";
import {
  folderKey,
  homeFolder,
  inDirectory,
  namedFolder,
  systemFolder,
  upward,
  within,
} from "./host-paths.ts";

const HOME = namedFolder("CODEX_HOME", homeFolder(".codex"));

const SYSTEM_HOME = systemFolder({
  darwin: "/etc/codex",
  win32: "%ProgramData%\\OpenAI\\Codex",
  other: "/etc/codex",
});

/**
 * Layers of TOML, merged field by field. Variables are not expanded but named: `env_vars`, `env_http_headers`,
 * `bearer_token_env_var`. A project's layer counts only where the user's own file marks its folder, or the project, as trusted.
 */
export const CODEX: HostDialect = {
  id: "codex",
  title: "Codex",
  format: "toml",
  files: [
    {
      kind: "managed",
      scope: "managed",
      paths: (at) =>
        inDirectory(at, at.platform === "win32" ? HOME(at) : "/etc/codex", "managed_config.toml"),
    },
    { kind: "project", scope: "project", paths: upward(".codex/config.toml") },
    { kind: "user", scope: "user", paths: within(HOME, "config.toml") },
    { kind: "system", scope: "user", paths: within(SYSTEM_HOME, "config.toml") },
    {
      kind: "requirements",
      scope: "managed",
      servers: "none",
      paths: within(SYSTEM_HOME, "requirements.toml"),
    },
  ],
  servers: serversUnder("mcp_servers"),
  entry: entryDialect({
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
    reshape: (entry, remark) => ({ ...entry, env_vars: localVariables(entry.env_vars, remark) }),
    writtenAt,
    removedFields: ({ env_vars }) => {
      const others = Array.isArray(env_vars) ? env_vars.filter(isOfElsewhere) : [];
      return others.length > 0 ? { env_vars: others } : undefined;
    },
    findFault,
  }),
  variables: NO_VARIABLES,
  merge: "fields",
  lists: readLists,
  trustsProject,
};

function readLists(...[documents, context, report]: Parameters<ReadLists>): ReturnType<ReadLists> {
  reportProfiles(documents, report);
  const read: ReadLists = readRequirements;
  return read(documents, context, report);
}

/**
 * A profile is a file of its own between the project's layers and the user's. Since 0.134 it is selected only when Codex is started
 * (`--profile`). Before, a name in the user's file selected settings that could hold no servers.
 */
function reportProfiles(documents: readonly HostDocument[], report: Report): void {
  for (const { content, scope, document } of documents) {
    const { profile } = content;
    if (scope === "project" || typeof profile !== "string") continue;
    const location = document?.locate(["profile"]) ?? {};
    const text = `"profile" adds no servers: Codex reads ${quote(`${profile}.config.toml`)} only when it is started with --profile. Put servers that you always want into this file.`;
    report(diagnose("unread-profile", `${describeLocation(location)}: ${text}`, location));
  }
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
function findFault(entry: JsonMap): { field: string; text: string } | undefined {
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

/**
 * The trust level of the folder itself wins over that of the project; of each, the strongest layer wins. If a folder has one level by
 * its path as it is given and another by its path without links, both must be "trusted".
 */
function trustsProject(documents: readonly HostDocument[], folder: string, context: FindingContext): boolean {
  const layers = documents.filter(({ scope }) => scope !== "project");
  const levelOf = (path: string) =>
    layers.map(({ content }) => trustLevel(content, path, context)).find((level) => level !== undefined);
  for (const path of [folder, context.folders.at(-1) ?? folder]) {
    const levels = [path, realFileOf(path) ?? path].map(levelOf).filter((level) => level !== undefined);
    if (levels.length > 0) return levels.every((level) => level === "trusted");
  }
  return false;
}

/** Codex writes folders in lower case on Windows; an exact spelling wins. */
function trustLevel({ projects }: JsonMap, path: string, context: FindingContext): unknown {
  if (!isRecord(projects)) return undefined;
  const isSame = (name: string) => folderKey(name, context) === folderKey(path, context);
  const name = Object.hasOwn(projects, path) ? path : Object.keys(projects).find(isSame);
  const project = name === undefined ? undefined : projects[name];
  return isRecord(project) ? project.trust_level : undefined;
}
