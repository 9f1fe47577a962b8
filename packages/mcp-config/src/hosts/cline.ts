import { COMMON_FIELDS } from "../entry/entry-dialect.ts";
import type { JsonMap } from "../read/json-value.ts";
import { prefixedBraces } from "../resolve/variable-syntax.ts";
import { type HostDialect, type HostPath, type HostSurroundings, serversUnder } from "./host-dialect.ts";
import { absolute, applicationData, inDirectory, inHome, joined, upward } from "./host-paths.ts";

const FILE = "cline_mcp_settings.json";
const STORAGE = "Code/User/globalStorage/saoudrizwan.claude-dev/settings";

/** One file for the extension and the command line. A URL without a type is SSE. Times are seconds, from 1 to 3,600. */
export const CLINE: HostDialect = {
  id: "cline",
  title: "Cline",
  format: "json",
  files: [
    { kind: "user", scope: "user", paths: settingsFile },
    {
      // The extension's former places; newer versions move the files.
      kind: "extension-storage",
      scope: "user",
      paths: (at) => [
        ...inDirectory(at, joined(at, applicationData(at), STORAGE), FILE),
        ...inHome(`Documents/Cline/MCP/${FILE}`)(at),
      ],
    },
  ],
  misplaced: { user: inHome(".cline/mcp.json", `.cline/${FILE}`), project: upward(".cline/mcp.json") },
  servers: serversUnder("mcpServers"),
  entry: {
    transport: {
      field: "type",
      types: { stdio: "stdio", sse: "sse", streamableHttp: "http" },
      untypedUrl: "sse",
    },
    fields: {
      ...COMMON_FIELDS,
      timeoutMs: [{ field: "timeout", unit: "seconds", leastMs: 1_000, mostMs: 3_600_000 }],
      autoApprove: "autoApprove",
    },
    switches: ["disabled"],
    outdated: { transportType: "legacy-field" },
    extraFields: ["remoteConfigured", "metadata", "oauth"],
    // The command line nests the fields that reach the server.
    inner: [{ field: "transport" }],
    reshape,
    writtenAt: (path, { type }) => (path[0] === "type" && type === undefined ? ["transportType"] : path),
  },
  variables: { syntaxes: [prefixedBraces({ env: "environment" })], whenUnset: "literal", ownEnv: "remote" },
};

/** The old `transportType` calls Streamable HTTP `http`. */
function reshape(entry: JsonMap): JsonMap {
  const { transportType, ...rest } = entry;
  if (transportType === undefined) return entry;
  const type = transportType === "http" ? "streamableHttp" : transportType;
  return entry.type === undefined || entry.type === type ? { ...rest, type } : entry;
}

function settingsFile(at: HostSurroundings): HostPath[] {
  const named = absolute(at, "CLINE_MCP_SETTINGS_PATH");
  if (named !== undefined) return [{ file: named }];
  const home = absolute(at, "CLINE_DIR") ?? joined(at, at.home, ".cline");
  const data = absolute(at, "CLINE_DATA_DIR") ?? joined(at, home, "data");
  return inDirectory(at, joined(at, data, "settings"), FILE);
}
