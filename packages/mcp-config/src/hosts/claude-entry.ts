import type { JsonMap } from "../documents/json-value.ts";
import {
  COMMON_FIELDS,
  type EntryRules,
  entryDialect,
  type RemarkOnEntry,
} from "../entries/entry-dialect.ts";
import { schemeOf } from "../http-syntax.ts";
import { braces, dollarName } from "../variable-syntax.ts";
import type { VariableDialect } from "../variables.ts";

const ENTRY_RULES: EntryRules = {
  transport: {
    field: "type",
    // A WebSocket is read as HTTP, which is closest; its URL tells that it cannot be reached.
    types: { stdio: "stdio", http: "http", "streamable-http": "http", sse: "sse", ws: "http" },
    untypedUrl: "refused",
  },
  fields: { ...COMMON_FIELDS, timeoutMs: [{ field: "timeout", leastMs: 1000 }, "request_timeout_ms"] },
  oauth: { object: "oauth" },
  extraFields: ["alwaysLoad"],
  commandFields: ["headersHelper"],
  urlSchemes: ["http", "https", "ws", "wss"],
  findFault: otherAddress,
  reshape,
};

/** Entries of Claude Code's plugins. Without a type an entry is a child process, so a bare URL is a mistake. */
export const CLAUDE_PLUGIN_ENTRY = entryDialect(ENTRY_RULES);

/** The same for its own files, in which one name is reserved. */
export const CLAUDE_ENTRY = entryDialect({
  ...ENTRY_RULES,
  findFault: (entry, name) =>
    name === "workspace"
      ? { field: "", text: "the name is reserved, so Claude Code skips the entry; choose another name." }
      : otherAddress(entry),
});

/** Refuses `ws:` and `wss:` URLs for anything but a WebSocket. */
function otherAddress({ type, url }: JsonMap): ReturnType<NonNullable<EntryRules["findFault"]>> {
  const scheme = typeof url === "string" ? schemeOf(url) : undefined;
  if (type === "ws" || (scheme !== "ws" && scheme !== "wss")) return undefined;
  return { field: "url", text: `"url" begins with ${scheme}://, which requires "type": "ws".` };
}

/** The URL of a WebSocket may also begin with `http:` or `https:`, or with a reference. */
function reshape(entry: JsonMap, remark: RemarkOnEntry): JsonMap {
  const { type, url } = entry;
  if (type !== "ws" || typeof url !== "string") return entry;
  if (schemeOf(url) === undefined) {
    remark("unsupported-address", "type", "its host can reach a WebSocket, but Jackfield cannot.");
  }
  return { ...entry, url: url.replace(/^http(?=s?:)/i, "ws") };
}

/** How entries of Claude Code refer to variables. */
export const CLAUDE_VARIABLES: VariableDialect = {
  syntaxes: [braces(), dollarName("literal")],
  whenUnset: "fail",
  ownEnv: "remote",
  // Credentials of the machine, which Claude Code gives to no remote server.
  emptyInRemote: ["ANTHROPIC_API_KEY", "NPM_TOKEN"],
};

/** The same for its plugins, which may also refer to their folders and settings. */
export const CLAUDE_PLUGIN_VARIABLES: VariableDialect = {
  ...CLAUDE_VARIABLES,
  syntaxes: [
    braces({ places: ["CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"], inputs: ["user_config."] }),
    dollarName("literal"),
  ],
};
