import { COMMON_FIELDS, COMMON_TRANSPORT, entryDialect } from "../entries/entry-dialect.ts";
import { NO_VARIABLES } from "../variables.ts";
import { type HostDialect, serversUnderOrBare } from "./host-dialect.ts";
import { inHome, upward } from "./host-paths.ts";

const FILE = ".warp/.mcp.json";

/** The switch is called `start_on_launch`. In Warp, servers of a project are always started by hand. */
export const WARP: HostDialect = {
  id: "warp",
  title: "Warp",
  format: "json",
  files: [
    { kind: "project", scope: "project", paths: upward(FILE) },
    { kind: "user", scope: "user", paths: inHome(FILE) },
  ],
  servers: serversUnderOrBare("mcpServers"),
  entry: entryDialect({
    transport: COMMON_TRANSPORT,
    fields: {
      ...COMMON_FIELDS,
      cwd: ["working_directory", "cwd"],
      enabled: "start_on_launch",
    },
  }),
  variables: NO_VARIABLES,
};
