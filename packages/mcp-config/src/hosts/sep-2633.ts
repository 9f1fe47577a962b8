import type { JsonMap } from "../documents/json-value.ts";
import { entryDialect } from "../entries/entry-dialect.ts";
import { TYPED_EXAMPLES } from "../entries/entry-examples.ts";
import { quote } from "../server-name.ts";
import { sourceChain } from "../variable-syntax.ts";
import { type HostDialect, serversUnder } from "./host-dialect.ts";

/** A draft of a common format (SEP-2633). It says nothing about where files are, and requires a type. */
export const SEP_2633: HostDialect = {
  id: "sep-2633",
  title: "mcp.json (SEP-2633)",
  format: "json",
  files: [],
  servers: serversUnder("mcpServers"),
  entry: entryDialect({
    examples: TYPED_EXAMPLES,
    transport: {
      field: "type",
      types: { stdio: "stdio", sse: "sse", "streamable-http": "http" },
      untypedUrl: "refused",
    },
    fields: {
      command: "command",
      args: "args",
      env: "env",
      url: "url",
      headers: "headers",
      title: "title",
      description: "description",
    },
    oauth: { object: "oauth" },
    findFault,
  }),
  variables: { syntaxes: [sourceChain], whenUnset: "fail", ownEnv: "remote" },
};

/** Fields of the one kind of server, which the other must not have. */
const OF_REMOTES = ["url", "headers", "oauth"];
const OF_PROCESSES = ["command", "args", "env"];

function findFault(entry: JsonMap, name: string): { field: string; text: string } | undefined {
  if (!/^[\w[\]-]+$/.test(name)) {
    return { field: "", text: "a name consists of letters, digits, _, -, [ and ] in this format." };
  }
  const { type } = entry;
  if (type === undefined) return { field: "", text: `"type" is required in this format.` };
  const field = (type === "stdio" ? OF_REMOTES : OF_PROCESSES).find((other) => Object.hasOwn(entry, other));
  return field === undefined
    ? undefined
    : { field, text: `${quote(field)} is not allowed with this "type" in this format; remove it.` };
}
