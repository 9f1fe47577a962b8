import { COMMON_FIELDS, COMMON_TRANSPORT, entryDialect } from "../entries/entry-dialect.ts";
import { prefixedBraces } from "../variable-syntax.ts";
import { type HostDialect, serversUnder } from "./host-dialect.ts";
import { inHome } from "./host-paths.ts";

/** One file for the editor and one for its plugin in other editors; no file of a project is documented. */
export const WINDSURF: HostDialect = {
  id: "windsurf",
  title: "Windsurf",
  format: "json",
  files: [
    {
      kind: "user",
      scope: "user",
      paths: inHome(".codeium/windsurf/mcp_config.json", ".codeium/mcp_config.json"),
    },
  ],
  servers: serversUnder("mcpServers"),
  entry: entryDialect({
    transport: COMMON_TRANSPORT,
    fields: {
      ...COMMON_FIELDS,
      url: ["serverUrl", "url"],
      exclude: "disabledTools",
      autoApprove: "alwaysAllow",
    },
    switches: ["disabled"],
  }),
  variables: {
    syntaxes: [prefixedBraces({ env: "environment", file: "file" })],
    whenUnset: "fail",
    ownEnv: "remote",
  },
};
