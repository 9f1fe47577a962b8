import { isRecord } from "@jackfield/mcp-core";
import { COMMON_FIELDS, COMMON_TRANSPORT, type ReshapeContext } from "../entry/entry-dialect.ts";
import type { JsonMap } from "../read/json-value.ts";
import { braces, dollarName } from "../resolve/variable-syntax.ts";
import { type HostDialect, serversUnderOrBare } from "./host-dialect.ts";
import { homeFolder, namedFolder, systemFolder, upward, within } from "./host-paths.ts";

/** An administrator's settings for every program with Copilot in it, which may allow and deny servers. */
export const copilotPolicy = within(
  systemFolder({
    darwin: "/Library/Application Support/GitHubCopilot",
    win32: "%ProgramFiles%\\GitHubCopilot",
    other: "/etc/github-copilot",
  }),
  "managed-settings.json",
);

const HOME = namedFolder("COPILOT_HOME", homeFolder(".copilot"));

/** Variables are expanded in `env` and `headers` only. Of the project's files, the one in the nearest folder wins. */
export const COPILOT_CLI: HostDialect = {
  id: "copilot-cli",
  title: "GitHub Copilot CLI",
  format: "json",
  files: [
    { kind: "project", scope: "project", paths: upward(".mcp.json", ".github/mcp.json") },
    { kind: "user", scope: "user", paths: within(HOME, "mcp-config.json") },
  ],
  misplaced: {
    user: within(HOME, "mcp.json", "config.json"),
    project: upward(".copilot/mcp-config.json", ".copilot/mcp.json", ".github/copilot/mcp.json"),
  },
  servers: serversUnderOrBare("mcpServers"),
  entry: {
    transport: { ...COMMON_TRANSPORT, types: { local: "stdio", ...COMMON_TRANSPORT.types } },
    fields: { ...COMMON_FIELDS, timeoutMs: ["timeout"], include: "tools" },
    oauth: {
      object: "oauth",
      fields: {
        oauthClientId: "clientId",
        oauthScopes: "scopes",
        oauthPublicClient: "publicClient",
        oauthGrantType: "grantType",
        redirectPort: "callbackPort",
      },
    },
    extraFields: ["deferTools", "disableToolCache", "slowConnectionThresholdMs", "oidc", "filterMapping"],
    inner: [{ field: "auth", members: { redirectPort: "redirectPort" } }],
    reshape,
  },
  variables: { syntaxes: [], valueSyntaxes: [braces(), dollarName()], whenUnset: "fail", ownEnv: "remote" },
  administered: copilotPolicy,
};

/** Remarks on the old field, except in a project's files: the other hosts that read them still use it. */
function reshape(entry: JsonMap, { remark, definedIn: { scope } }: ReshapeContext): JsonMap {
  const { oauth, url, type } = entry;
  const isRemoteServer = url !== undefined && type !== "stdio" && type !== "local";
  if (isRecord(oauth) && isRemoteServer && scope !== "project") {
    const text = `"oauth" is an old field, which is still read; write "oauthClientId", and "auth": { "redirectPort": … } in place of its "callbackPort".`;
    remark("legacy-field", "oauth", text);
  }
  return entry;
}
