import { COMMON_FIELDS, COMMON_TRANSPORT, entryDialect } from "../entries/entry-dialect.ts";
import { NO_VARIABLES } from "../variables.ts";
import { type HostDialect, serversUnder } from "./host-dialect.ts";
import { inHome } from "./host-paths.ts";

/** Version 2 of the inspector. It says in which era a server is to be spoken to, and which roots it is shown. */
export const INSPECTOR: HostDialect = {
  id: "inspector",
  title: "MCP Inspector",
  format: "json",
  files: [{ kind: "user", scope: "user", paths: inHome(".mcp-inspector/mcp.json") }],
  servers: serversUnder("mcpServers"),
  entry: entryDialect({
    transport: COMMON_TRANSPORT,
    fields: {
      ...COMMON_FIELDS,
      timeoutMs: ["requestTimeout"],
      connectTimeoutMs: ["connectionTimeout"],
    },
    oauth: { object: "oauth" },
    kept: ["protocolEra", "roots"],
  }),
  variables: NO_VARIABLES,
};
