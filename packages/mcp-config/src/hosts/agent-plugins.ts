import { COMMON_FIELDS, entryDialect } from "../entries/entry-dialect.ts";
import { braces } from "../variable-syntax.ts";
import { type HostDialect, serversUnder } from "./host-dialect.ts";

/** The `mcp.json` of a plugin by the Agent Plugins format, version 1. Who installs plugins knows where they are. */
export const AGENT_PLUGINS: HostDialect = {
  id: "agent-plugins",
  title: "Agent Plugins",
  format: "json",
  files: [],
  scope: "extension",
  servers: serversUnder("mcpServers"),
  entry: entryDialect({
    transport: {
      field: "type",
      types: { stdio: "stdio", "streamable-http": "http", sse: "sse" },
      untypedUrl: "http",
    },
    fields: COMMON_FIELDS,
    refused: ({ url }) =>
      typeof url === "string" && isOpenlyRemote(url)
        ? {
            field: "url",
            text: `"url" must begin with https:// in this format, unless it leads to this machine.`,
          }
        : undefined,
  }),
  variables: {
    syntaxes: [braces({ places: ["PLUGIN_ROOT", "PLUGIN_DATA"] })],
    unset: "fail",
    ownEnv: "remote",
  },
};

function isOpenlyRemote(url: string): boolean {
  if (!/^http:/i.test(url) || !URL.canParse(url)) return false;
  return !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}
