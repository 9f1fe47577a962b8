import { COMMON_FIELDS, COMMON_TRANSPORT, entryDialect } from "../entries/entry-dialect.ts";
import { braces } from "../variable-syntax.ts";
import { type HostDialect, serversUnder } from "./host-dialect.ts";
import { inHome, upward } from "./host-paths.ts";

const FILE = ".kiro/settings/mcp.json";

/** The workspace's file beats the user's. Times are milliseconds. */
export const KIRO: HostDialect = {
  id: "kiro",
  title: "Kiro",
  format: "json",
  files: [
    { kind: "workspace", scope: "project", paths: upward(FILE) },
    { kind: "user", scope: "user", paths: inHome(FILE) },
  ],
  servers: serversUnder("mcpServers"),
  entry: entryDialect({
    transport: COMMON_TRANSPORT,
    fields: {
      ...COMMON_FIELDS,
      timeoutMs: ["timeout"],
      autoApprove: "autoApprove",
      exclude: "disabledTools",
    },
    switches: ["disabled"],
  }),
  variables: { syntaxes: [braces()], whenUnset: "fail", ownEnv: "remote" },
};
