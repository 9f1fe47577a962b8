import { isMap, type JsonMap } from "../documents/json-value.ts";
import { COMMON_FIELDS, entryDialect } from "../entries/entry-dialect.ts";
import { braces, leadingCommand } from "../variable-syntax.ts";
import { type HostDialect, type HostDocument, type ReadLists, serversUnder } from "./host-dialect.ts";
import { inHome, joined, upward } from "./host-paths.ts";

/** Without a type an entry is a child process. A value that begins with `!` is a command, which is never run here. */
export const OMP: HostDialect = {
  id: "omp",
  title: "oh-my-pi",
  format: "json",
  files: [
    {
      kind: "project",
      scope: "project",
      paths: (at) => upward(at, ".omp/mcp.json", ".omp/.mcp.json", "mcp.json", ".mcp.json"),
    },
    { kind: "user", scope: "user", paths: (at) => inHome(at, ".omp/agent/mcp.json", ".omp/agent/.mcp.json") },
    {
      kind: "profile",
      scope: "user",
      servers: "none",
      paths: (at) => [{ file: joined(at, at.home, ".omp/profiles/*/agent/mcp.json"), isPattern: true }],
    },
  ],
  servers: serversUnder("mcpServers"),
  entry: entryDialect({
    transport: { field: "type", types: { stdio: "stdio", http: "http", sse: "sse" }, untypedUrl: "refused" },
    fields: {
      ...COMMON_FIELDS,
      timeoutMs: ["timeout"],
      include: "enabledTools",
      exclude: "disabledTools",
    },
    emptyIncludesAll: true,
    oauth: { object: "oauth" },
    kept: ["auth", "requestIdFormat"],
  }),
  variables: { syntaxes: [braces()], valueSyntaxes: [leadingCommand], unset: "literal", ownEnv: "remote" },
  lists: readLists,
};

/** `disabledServers` switches servers off by name, `enabledServers` keeps them on whatever that list says. */
function readLists(documents: readonly HostDocument[]): ReturnType<ReadLists> {
  const disabled = documents.flatMap(({ content }) => namesIn(content, "disabledServers"));
  const enabled = documents.flatMap(({ content }) => namesIn(content, "enabledServers"));
  return ({ name }) =>
    disabled.includes(name) && !enabled.includes(name) ? { disabledBy: "disabledServers" } : undefined;
}

function namesIn(content: JsonMap, list: string): readonly unknown[] {
  const names = isMap(content) ? content[list] : undefined;
  return Array.isArray(names) ? names : [];
}
