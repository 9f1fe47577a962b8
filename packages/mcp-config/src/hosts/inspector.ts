import { COMMON_FIELDS, entryDialect } from "../entries/entry-dialect.ts";
import { NO_VARIABLES } from "../variables.ts";
import { type HostDialect, serversUnder } from "./host-dialect.ts";
import { inHome } from "./host-paths.ts";

/** Version 2 of the Inspector. Entries say which protocol era a server is spoken to in, and which roots it is shown. */
export const INSPECTOR: HostDialect = {
  id: "inspector",
  title: "MCP Inspector",
  format: "json",
  files: [{ kind: "user", scope: "user", paths: inHome(".mcp-inspector/mcp.json") }],
  servers: serversUnder("mcpServers"),
  entry: entryDialect({
    // The Inspector treats entries without a type, or with an unknown one, as child processes (`normalizeServerType`).
    transport: {
      field: "type",
      types: { stdio: "stdio", http: "http", "streamable-http": "http", sse: "sse" },
      untypedUrl: "refused",
    },
    fields: {
      ...COMMON_FIELDS,
      timeoutMs: ["requestTimeout"],
      connectTimeoutMs: ["connectionTimeout"],
    },
    oauth: { object: "oauth" },
    extraFields: ["protocolEra", "roots"],
  }),
  variables: NO_VARIABLES,
};
