import { COMMON_FIELDS, entryDialect } from "../entries/entry-dialect.ts";
import { braces, dollarName } from "../variable-syntax.ts";
import type { VariableDialect } from "../variables.ts";

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

/** How entries of Claude Code refer to variables. */
export const CLAUDE_VARIABLES: VariableDialect = {
  syntaxes: [braces(), dollarName("literal")],
  unset: "fail",
  ownEnv: "remote",
};

/** The same in its plugins, which know where they are installed. */
export const CLAUDE_PLUGIN_VARIABLES: VariableDialect = {
  ...CLAUDE_VARIABLES,
  syntaxes: [
    braces({ places: ["CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"], inputs: ["user_config."] }),
    dollarName("literal"),
  ],
};
