import { isMap, type JsonMap, ownMember } from "../documents/json-value.ts";
import { entryDialect } from "../entries/entry-dialect.ts";
import { braces } from "../variable-syntax.ts";
import type { FindServers, HostDialect } from "./host-dialect.ts";

/**
 * The manifest of a bundle (MCPB, formerly DXT): one server, whose name is that of the bundle. What a person is asked for stands in
 * `user_config` and stays in the file, as does whatever else the manifest tells of the bundle.
 */
export const MCPB: HostDialect = {
  id: "mcpb",
  title: "MCP bundle (MCPB)",
  format: "json",
  files: [],
  scope: "extension",
  servers: findServer,
  entry: entryDialect({
    transport: { types: {}, untypedUrl: "refused" },
    fields: { command: "command", args: "args", env: "env" },
    kept: ["type", "entry_point", "mcp_config"],
    reshape,
  }),
  variables: {
    syntaxes: [
      braces({
        places: ["__dirname", "HOME", "DESKTOP", "DOCUMENTS", "DOWNLOADS", "/", "pathSeparator"],
        inputs: ["user_config."],
      }),
    ],
    unset: "fail",
    ownEnv: "remote",
  },
};

function findServer({ name }: JsonMap): ReturnType<FindServers> {
  return [{ path: ["server"], name: typeof name === "string" ? name : "" }];
}

/** What is said for one system takes the place of what is said for all, field by field; variables are one field. */
function reshape({ mcp_config: launch }: JsonMap, _remark: unknown, platform: NodeJS.Platform): JsonMap {
  if (!isMap(launch)) return {};
  const { platform_overrides: overrides, ...general } = launch;
  const special = isMap(overrides) ? ownMember(overrides, platform) : undefined;
  return isMap(special) ? { ...general, ...special } : general;
}
