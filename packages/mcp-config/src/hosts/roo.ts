import { COMMON_FIELDS, entryDialect } from "../entries/entry-dialect.ts";
import { bracedPlaces, prefixedBraces } from "../variable-syntax.ts";
import { type HostDialect, serversUnder } from "./host-dialect.ts";
import { applicationData, folderIn, upward, within } from "./host-paths.ts";

const STORAGE = "Code/User/globalStorage/rooveterinaryinc.roo-cline/settings";

/** A URL without a type is refused. Times are seconds, from 1 to 3,600. */
export const ROO: HostDialect = {
  id: "roo",
  title: "Roo Code",
  format: "json",
  files: [
    { kind: "project", scope: "project", paths: upward(".roo/mcp.json") },
    {
      kind: "user",
      scope: "user",
      paths: within(folderIn(applicationData, STORAGE), "mcp_settings.json"),
    },
  ],
  servers: serversUnder("mcpServers"),
  entry: entryDialect({
    transport: {
      field: "type",
      types: { stdio: "stdio", "streamable-http": "http", sse: "sse" },
      untypedUrl: "refused",
    },
    fields: {
      ...COMMON_FIELDS,
      timeoutMs: [{ field: "timeout", unit: "seconds", leastMs: 1_000, mostMs: 3_600_000 }],
      autoApprove: "alwaysAllow",
      exclude: "disabledTools",
    },
    switches: ["disabled"],
    extraFields: ["watchPaths"],
  }),
  variables: {
    syntaxes: [prefixedBraces({ env: "environment" }), bracedPlaces("workspaceFolder")],
    whenUnset: "empty",
    ownEnv: "remote",
  },
};
