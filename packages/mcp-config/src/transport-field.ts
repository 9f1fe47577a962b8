import type { TransportKind } from "@jackfield/mcp-core";
import type { EntryFields, FaultAt } from "./entry-fields.ts";
import { quote } from "./server-name.ts";

/** What `type` may say, in the spellings in use. */
const TRANSPORT_TYPES: ReadonlyMap<string, TransportKind> = new Map([
  ["stdio", "stdio"],
  ["http", "http"],
  ["streamable-http", "http"],
  ["streamableHttp", "http"],
  ["sse", "sse"],
]);

/**
 * Which transport an entry is for: what `type` says, else `stdio` with a `command` and `http` with a `url`. An entry names
 * exactly one way to reach its server.
 *
 * @throws McpError `MCP_CONFIG_INVALID` if it names none or several, or if `type` is unknown or does not fit.
 */
export function readTransport(fields: EntryFields, mayHoldServer: boolean, faultAt: FaultAt): TransportKind {
  const target = readTarget(fields, mayHoldServer, faultAt);
  const type = fields.text("type");
  if (type === undefined) {
    if (target === "server") return "in-process";
    return target === "command" ? "stdio" : "http";
  }
  const transport = TRANSPORT_TYPES.get(type);
  if (!transport) {
    const known = [...TRANSPORT_TYPES.keys()].map(quote).join(", ");
    throw faultAt(["type"], `"type" is ${quote(type)}, but must be one of ${known}.`);
  }
  const wanted = transport === "stdio" ? "command" : "url";
  if (wanted !== target) {
    const text = `"type" is ${quote(type)}, which goes with ${quote(wanted)}, but the entry has ${quote(target)}; correct or remove "type".`;
    throw faultAt(["type"], text);
  }
  return transport;
}

type Target = "command" | "url" | "server";

function readTarget(fields: EntryFields, mayHoldServer: boolean, faultAt: FaultAt): Target {
  const possible: readonly Target[] = mayHoldServer ? ["command", "url", "server"] : ["command", "url"];
  const [target, second] = possible.filter((field) => fields.has(field));
  if (target === undefined) {
    const inCode = mayHoldServer ? `, or "server" for one in this process` : "";
    const text = `it has neither "command" nor "url"; add "command" for a local server or "url" for a remote one${inCode}.`;
    throw faultAt([], text);
  }
  if (second !== undefined) {
    throw faultAt([second], `it has both ${quote(target)} and ${quote(second)}; keep the one you mean.`);
  }
  return target;
}
