import { COMMON_FIELDS, COMMON_TRANSPORT, entryDialect } from "../entries/entry-dialect.ts";
import { bracedPlaces, prefixedBraces } from "../variable-syntax.ts";
import { ENV_FILE_OF_PROCESS } from "./env-file-of-process.ts";
import { type HostDialect, serversUnder } from "./host-dialect.ts";
import { inHome, upward } from "./host-paths.ts";

/** The transport of a remote server is inferred: Streamable HTTP. Whether a server is on is not kept in the file. */
export const CURSOR: HostDialect = {
  id: "cursor",
  title: "Cursor",
  format: "json",
  files: [
    { kind: "project", scope: "project", paths: upward(".cursor/mcp.json") },
    { kind: "user", scope: "user", paths: inHome(".cursor/mcp.json") },
  ],
  servers: serversUnder("mcpServers"),
  entry: entryDialect({
    transport: COMMON_TRANSPORT,
    fields: { ...COMMON_FIELDS, envFile: "envFile" },
    ...ENV_FILE_OF_PROCESS,
    oauth: { object: "auth", members: { CLIENT_ID: "clientId", CLIENT_SECRET: "clientSecret" } },
  }),
  variables: {
    syntaxes: [
      prefixedBraces({ env: "environment" }),
      bracedPlaces("userHome", "workspaceFolder", "workspaceFolderBasename", "pathSeparator", "/"),
    ],
    whenUnset: "fail",
    ownEnv: "remote",
  },
};
