import { COMMON_FIELDS, entryDialect } from "../entries/entry-dialect.ts";

/** Entries of Claude Code and its plugins. Without a type an entry is a child process, so a bare URL is a mistake. */
export const CLAUDE_ENTRY = entryDialect({
  transport: {
    field: "type",
    types: { stdio: "stdio", http: "http", "streamable-http": "http", sse: "sse" },
    untypedUrl: "refused",
  },
  fields: { ...COMMON_FIELDS, timeoutMs: [{ field: "timeout", leastMs: 1000 }, "request_timeout_ms"] },
  oauth: { object: "oauth" },
  kept: ["alwaysLoad"],
  commands: ["headersHelper"],
});
