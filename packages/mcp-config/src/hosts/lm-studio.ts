import { COMMON_FIELDS, COMMON_TRANSPORT, entryDialect } from "../entries/entry-dialect.ts";
import { NO_VARIABLES } from "../variables.ts";
import { type HostDialect, serversUnder } from "./host-dialect.ts";
import { inHome } from "./host-paths.ts";

/** Cursor's notation, without variables. */
export const LM_STUDIO: HostDialect = {
  id: "lm-studio",
  title: "LM Studio",
  format: "json",
  files: [{ kind: "user", scope: "user", paths: inHome(".lmstudio/mcp.json") }],
  servers: serversUnder("mcpServers"),
  entry: entryDialect({ transport: COMMON_TRANSPORT, fields: { ...COMMON_FIELDS, timeoutMs: ["timeout"] } }),
  variables: NO_VARIABLES,
};
