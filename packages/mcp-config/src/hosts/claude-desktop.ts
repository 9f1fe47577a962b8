import { COMMON_FIELDS, COMMON_TRANSPORT, entryDialect } from "../entries/entry-dialect.ts";
import { NO_VARIABLES } from "../variables.ts";
import { type HostDialect, serversUnder } from "./host-dialect.ts";
import { absolute, applicationData, inDirectory, joined } from "./host-paths.ts";

const FILE = "claude_desktop_config.json";

/** Only child processes stand in its file; remote servers are set up in its own window. */
export const CLAUDE_DESKTOP: HostDialect = {
  id: "claude-desktop",
  title: "Claude Desktop",
  format: "json",
  files: [
    {
      kind: "user",
      scope: "user",
      paths: (at) => inDirectory(at, joined(at, applicationData(at), "Claude"), FILE),
    },
    {
      // An installation from the Windows store keeps its files apart.
      kind: "store",
      scope: "user",
      paths: (at) =>
        at.platform === "win32"
          ? inDirectory(
              at,
              absolute(at, "LOCALAPPDATA"),
              `Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/${FILE}`,
            )
          : [],
    },
  ],
  servers: serversUnder("mcpServers"),
  entry: entryDialect({ transport: COMMON_TRANSPORT, fields: COMMON_FIELDS }),
  variables: NO_VARIABLES,
};
