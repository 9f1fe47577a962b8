import { entryDialect } from "../entries/entry-dialect.ts";
import { NO_VARIABLES } from "../variables.ts";
import { type HostDialect, serversUnder } from "./host-dialect.ts";
import { absolute, applicationData, folderIn, inDirectory, within } from "./host-paths.ts";

const FILE = "claude_desktop_config.json";

/** Its file holds only stdio servers; remote servers are set up in its own window. */
export const CLAUDE_DESKTOP: HostDialect = {
  id: "claude-desktop",
  title: "Claude Desktop",
  format: "json",
  files: [
    { kind: "user", scope: "user", paths: within(folderIn(applicationData, "Claude"), FILE) },
    {
      // An installation from the Windows store keeps its files apart.
      kind: "store",
      scope: "user",
      paths: (at) =>
        at.platform === "win32"
          ? inDirectory(
              at,
              absolute(at, "LOCALAPPDATA"),
              `Packages/Claude_*/LocalCache/Roaming/Claude/${FILE}`,
            ).map((path) => ({ ...path, isPattern: true }))
          : [],
    },
  ],
  servers: serversUnder("mcpServers"),
  entry: entryDialect({
    transport: { field: "type", types: { stdio: "stdio" }, untypedUrl: "refused" },
    fields: { command: "command", args: "args", env: "env" },
    findFault: (entry) =>
      Object.hasOwn(entry, "url")
        ? {
            field: "url",
            text: "Claude Desktop reads no remote servers from its file; add them as connectors in its settings.",
          }
        : undefined,
  }),
  variables: NO_VARIABLES,
};
