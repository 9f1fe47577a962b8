import { COMMON_FIELDS, entryDialect } from "../entries/entry-dialect.ts";
import { NO_VARIABLES } from "../variables.ts";
import { type HostDialect, type HostSurroundings, serversUnder } from "./host-dialect.ts";
import { applicationData, configHome, inDirectory, joined } from "./host-paths.ts";

/** Extensions that are no servers of their own: what is built in, and what its window or a script provides. */
const NOT_SERVERS = ["builtin", "platform", "frontend", "inline_python"];

/**
 * Servers are extensions in a YAML file. Times are seconds. Secrets are not in the file but named in `env_keys`, and an empty list
 * of tools means all of them.
 */
export const GOOSE: HostDialect = {
  id: "goose",
  title: "Goose",
  format: "yaml",
  files: [{ kind: "user", scope: "user", paths: (at) => inDirectory(at, directory(at), "config.yaml") }],
  servers: serversUnder("extensions"),
  entry: entryDialect({
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
    emptyIncludesAll: true,
    // A remote definition has no place for variables that are handed on.
    kept: ["name", "bundled", "env_keys"],
    notRunnable: ({ type }) =>
      typeof type === "string" && NOT_SERVERS.includes(type)
        ? `an extension of type ${type} runs inside Goose`
        : undefined,
  }),
  variables: NO_VARIABLES,
};

function directory(at: HostSurroundings): string {
  return at.platform === "win32"
    ? joined(at, applicationData(at), "Block/goose/config")
    : joined(at, configHome(at), "goose");
}
