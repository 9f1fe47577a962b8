import { COMMON_FIELDS, COMMON_TRANSPORT, entryDialect } from "../entries/entry-dialect.ts";
import { NO_VARIABLES } from "../variables.ts";
import { type HostDialect, serversUnder } from "./host-dialect.ts";
import { inHome, upward } from "./host-paths.ts";

const FILE = ".junie/mcp/mcp.json";

/** JetBrains' agents Junie, AI Assistant and Air, whose files are side by side in the project. */
export const JUNIE: HostDialect = {
  id: "junie",
  title: "JetBrains Junie",
  format: "json",
  files: [
    {
      kind: "project",
      scope: "project",
      paths: upward(FILE, ".idea/mcp.json", ".air/mcp.json", ".mcp.json"),
    },
    { kind: "user", scope: "user", paths: inHome(FILE) },
  ],
  servers: serversUnder("mcpServers"),
  entry: entryDialect({ transport: COMMON_TRANSPORT, fields: COMMON_FIELDS }),
  variables: NO_VARIABLES,
};
