import { isRecord, type ServerDefinition } from "@jackfield/mcp-core";
import { COMMON_FIELDS, GAP, type RemarkOnEntry, type ReshapeContext } from "../entry/entry-dialect.ts";
import { quote } from "../entry/server-name.ts";
import { createMap, type JsonMap } from "../read/json-value.ts";
import { bracedName, dollarName } from "../resolve/variable-syntax.ts";
import { type HostDialect, type HostSurroundings, serversUnder } from "./host-dialect.ts";
import { applicationData, configHome, inHome, joined, within } from "./host-paths.ts";

/** Extensions that are not servers of their own: built-in ones, and those that Goose's window or a script provides. */
const NOT_SERVERS = ["builtin", "platform", "frontend", "inline_python"];

/** Variables that no extension may set (`Envs::DISALLOWED_KEYS` of its source, where their case does not count). */
const REFUSED_VARIABLES: ReadonlySet<string> = new Set([
  ...["PATH", "PATHEXT", "SYSTEMROOT", "WINDIR"],
  ...["LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT", "LD_DEBUG", "LD_BIND_NOW", "LD_ASSUME_KERNEL"],
  ...["DYLD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "DYLD_FRAMEWORK_PATH"],
  ...["PYTHONPATH", "PYTHONHOME", "NODE_OPTIONS", "RUBYOPT", "GEM_PATH", "GEM_HOME"],
  ...["CLASSPATH", "GO111MODULE", "GOROOT"],
  ...["APPINIT_DLLS", "SESSIONNAME", "COMSPEC", "TEMP", "TMP"],
  ...["LOCALAPPDATA", "USERPROFILE", "HOMEDRIVE", "HOMEPATH"],
]);

/**
 * Servers are extensions in a YAML file. Times are seconds. Secrets are not in the file but named in `env_keys`, and an empty list
 * of tools means all of them. The URL and the headers of a remote extension may refer only to variables in its `envs` and
 * `env_keys` (`substitute_env_vars` of its source).
 */
export const GOOSE: HostDialect = {
  id: "goose",
  title: "Goose",
  format: "yaml",
  files: [{ kind: "user", scope: "user", paths: within(settingsFolder, "config.yaml") }],
  misplaced: {
    user: (at) => [...within(settingsFolder, "config.json")(at), ...inHome(".goose/config.yaml")(at)],
  },
  servers: serversUnder("extensions"),
  entry: {
    examples: [
      { type: "stdio", cmd: GAP },
      { type: "streamable_http", uri: GAP },
    ],
    transport: {
      field: "type",
      types: { stdio: "stdio", streamable_http: "http", sse: "sse" },
      untypedUrl: "http",
    },
    fields: {
      ...COMMON_FIELDS,
      command: "cmd",
      env: "envs",
      envPassthrough: "env_keys",
      url: "uri",
      timeoutMs: [{ field: "timeout", unit: "seconds" }],
      include: "available_tools",
      title: "display_name",
      description: "description",
    },
    switches: ["enabled"],
    emptyIncludesAll: true,
    // A remote server is not given `env_keys`; its texts refer to them.
    extraFields: ["name", "bundled", "env_keys", "socket"],
    reshape,
    notRunnable: ({ type }) =>
      typeof type === "string" && NOT_SERVERS.includes(type)
        ? `an extension of type ${type} runs inside Goose`
        : undefined,
  },
  variables: {
    syntaxes: [bracedName(), dollarName()],
    whenUnset: "literal",
    ownEnv: "remote",
    remoteOnly: true,
    refersTo: ({ name }, definition) => setsVariable(name, definition) || isSecret({ name }, definition),
    isSecret,
  },
};

function setsVariable(name: string, definition: ServerDefinition): boolean {
  return "env" in definition && Object.hasOwn(definition.env ?? {}, name);
}

/** Goose keeps the variables in `env_keys` with the user's secrets. */
function isSecret({ name }: { readonly name: string }, { extra }: ServerDefinition): boolean {
  return Array.isArray(extra?.env_keys) && extra.env_keys.includes(name);
}

/** Leaves out what Goose leaves out with a warning. */
function reshape(entry: JsonMap, { remark }: ReshapeContext): JsonMap {
  const { envs, env_keys: keys } = entry;
  const shaped = { ...entry };
  if (isRecord(envs)) {
    const left = createMap();
    for (const name of Object.keys(envs)) {
      if (!isLet(name, ["envs", name], remark)) continue;
      left[name] = envs[name];
    }
    shaped.envs = left;
  }
  if (Array.isArray(keys))
    shaped.env_keys = keys.filter((name, index) => isLet(name, ["env_keys", index], remark));
  return shaped;
}

function isLet(name: unknown, at: readonly [string, string | number], remark: RemarkOnEntry): boolean {
  if (typeof name !== "string" || !REFUSED_VARIABLES.has(name.toUpperCase())) return true;
  const text = `Goose does not let an extension set ${quote(name)} in ${quote(at[0])}; it is left out.`;
  remark("invalid-field", at, text);
  return false;
}

function settingsFolder(at: HostSurroundings): string {
  return at.platform === "win32"
    ? joined(at, applicationData(at), "Block/goose/config")
    : joined(at, configHome(at), "goose");
}
