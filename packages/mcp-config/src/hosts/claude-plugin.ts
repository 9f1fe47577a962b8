import type { JsonMap } from "../documents/json-value.ts";
import { CLAUDE_PLUGIN_ENTRY, CLAUDE_PLUGIN_VARIABLES } from "./claude-entry.ts";
import { type HostDialect, serversUnder, serversUnderOrBare } from "./host-dialect.ts";

/** What a manifest says of the plugin itself. */
const ABOUT = ["name", "version", "description", "author", "homepage", "repository", "license", "keywords"];

/**
 * A plugin of Claude Code: `mcpServers` in its manifest, or an `.mcp.json` at its root whose servers may stand bare. Where
 * plugins are is known by the host that installs them.
 */
export const CLAUDE_PLUGIN: HostDialect = {
  id: "claude-plugin",
  title: "Claude Code plugin",
  format: "json",
  files: [],
  scope: "extension",
  servers: (root: JsonMap, context) =>
    typeof root.name === "string" && !Object.hasOwn(root, "mcpServers")
      ? serversUnder("mcpServers")(root, context)
      : serversUnderOrBare("mcpServers", ABOUT)(root, context),
  entry: CLAUDE_PLUGIN_ENTRY,
  variables: CLAUDE_PLUGIN_VARIABLES,
};
