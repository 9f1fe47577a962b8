import { type DefinedIn, isRecord } from "@jackfield/mcp-core";
import { type JsonMap, kindOf } from "../documents/json-value.ts";
import {
  COMMON_FIELDS,
  COMMON_TRANSPORT,
  entryDialect,
  type RemarkOnEntry,
} from "../entries/entry-dialect.ts";
import { braces, dollarName } from "../variable-syntax.ts";
import { type HostDialect, serversUnderOrBare } from "./host-dialect.ts";
import { homeFolder, namedFolder, upward, within } from "./host-paths.ts";

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
  servers: serversUnderOrBare("mcpServers"),
  entry: entryDialect({
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
    extraFields: [
      "auth",
      "deferTools",
      "disableToolCache",
      "slowConnectionThresholdMs",
      "oidc",
      "filterMapping",
    ],
    reshape,
    writtenAt: (path, { auth }) => (path[0] === "redirectPort" && isRecord(auth) ? ["auth", ...path] : path),
    removedFields: ({ auth }) => {
      const { redirectPort: _read, ...others } = isRecord(auth) ? auth : {};
      return Object.keys(others).length > 0 ? { auth: others } : undefined;
    },
  }),
  variables: { syntaxes: [], valueSyntaxes: [braces(), dollarName()], whenUnset: "fail", ownEnv: "remote" },
};

/** Only the port of `auth` is read. */
function reshape(written: JsonMap, remark: RemarkOnEntry, _platform: unknown, { scope }: DefinedIn): JsonMap {
  remarkOnOAuth(written, remark, scope);
  if (written.auth === undefined) return written;
  const { auth, ...entry } = written;
  if (isRecord(auth)) return { ...entry, redirectPort: auth.redirectPort };
  remark("invalid-field", "auth", `"auth" must be an object, not ${kindOf(auth)}. It is left out.`);
  return entry;
}

/** A project's files are left out: the other hosts that read them still use this field. */
function remarkOnOAuth(
  { oauth, url, type }: JsonMap,
  remark: RemarkOnEntry,
  scope: DefinedIn["scope"],
): void {
  const isRemoteServer = url !== undefined && type !== "stdio" && type !== "local";
  if (!isRecord(oauth) || !isRemoteServer || scope === "project") return;
  const text = `"oauth" is an old field, which is still read; write "oauthClientId", and "auth": { "redirectPort": … } in place of its "callbackPort".`;
  remark("legacy-field", "oauth", text);
}
