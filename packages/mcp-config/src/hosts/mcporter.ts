import type { JsonPath } from "../documents/json-path.ts";
import type { JsonMap } from "../documents/json-value.ts";
import { COMMON_FIELDS, COMMON_TRANSPORT, entryDialect, splitCommand } from "../entries/entry-dialect.ts";
import { placeInCommand } from "../entries/written-path.ts";
import { braces, prefixedDollar } from "../variable-syntax.ts";
import { type HostDialect, serversUnder } from "./host-dialect.ts";
import { configHome, inDirectory, joined, upward } from "./host-paths.ts";

const FILES = ["mcporter.json", "mcporter.jsonc"];

/** Most fields may be written in two ways, like `allowedTools` and `allowed_tools`. `imports` names other hosts; ask for those. */
export const MCPORTER: HostDialect = {
  id: "mcporter",
  title: "mcporter",
  format: "jsonc",
  files: [
    {
      kind: "project",
      scope: "project",
      paths: upward(...FILES.map((file) => `config/${file}`)),
    },
    {
      kind: "user",
      scope: "user",
      paths: (at) => [
        ...inDirectory(at, joined(at, configHome(at), "mcporter"), ...FILES),
        ...inDirectory(at, joined(at, at.home, ".mcporter"), ...FILES),
      ],
    },
  ],
  servers: serversUnder("mcpServers"),
  entry: entryDialect({
    transport: COMMON_TRANSPORT,
    fields: {
      ...COMMON_FIELDS,
      url: ["baseUrl", "base_url", "url", "serverUrl", "server_url"],
      bearerTokenEnv: ["bearerTokenEnv", "bearer_token_env"],
      include: ["allowedTools", "allowed_tools"],
      exclude: ["blockedTools", "blocked_tools"],
      description: "description",
    },
    oauth: {
      fields: {
        oauthEnabled: "enabled",
        oauthClientId: "clientId",
        oauth_client_id: "clientId",
        oauthClientSecret: "clientSecret",
        oauth_client_secret: "clientSecret",
        oauthScope: "scopes",
        oauth_scope: "scopes",
        oauthRedirectUrl: "redirectUri",
        oauth_redirect_url: "redirectUri",
      },
    },
    kept: ["lifecycle"],
    reshape,
    writtenAt,
  }),
  variables: { syntaxes: [braces(), prefixedDollar("env")], unset: "fail", ownEnv: "remote" },
};

/** `auth` names a way to log in; of these only OAuth is one that Jackfield knows. */
function reshape(entry: JsonMap): JsonMap {
  const { auth, ...rest } = splitCommand(entry);
  if (auth === "oauth") return { ...rest, oauthEnabled: true };
  return auth === undefined ? rest : { ...rest, auth };
}

function writtenAt(path: JsonPath, entry: JsonMap): JsonPath {
  return path[0] === "oauthEnabled" && entry.auth === "oauth" ? ["auth"] : placeInCommand(path, entry);
}
