import { isRecord } from "@jackfield/mcp-core";
import { type JsonMap, ownMember } from "../documents/json-value.ts";
import type { WrittenServer } from "../entries/written-server.ts";
import type { HostDocument, ListVerdict, ReadLists } from "./host-dialect.ts";
import { brokenPolicy } from "./list-reader.ts";

const LIST = "requirements.toml";

/**
 * Applies an administrator's requirements: where the file has `mcp_servers`, a server is off unless it matches the record of its
 * name. A record that cannot be read or compared lets nothing through, and neither does an administrator's file that cannot be
 * read.
 */
export function readRequirements(documents: readonly HostDocument[]): ReturnType<ReadLists> {
  const broken = brokenPolicy(documents, "requirements") ?? brokenPolicy(documents, "managed");
  if (broken) return () => broken;
  const lists = documents
    .filter(({ kind, content }) => kind === "requirements" && content.mcp_servers !== undefined)
    .map(({ content }) => content.mcp_servers);
  return ({ name, written }) => {
    for (const list of lists) {
      const because = isRecord(list)
        ? faultOf(ownMember(list, name), written)
        : "its mcp_servers is not a table";
      if (because !== undefined) return { disabledBy: LIST, because } satisfies ListVerdict;
    }
    return undefined;
  };
}

/** Why a server does not match the record of its name. */
function faultOf(record: unknown, written: WrittenServer): string | undefined {
  if (record === undefined) return "the server is not listed there";
  const identity = isRecord(record) ? record.identity : undefined;
  const [kind, ...others] = isRecord(identity) ? Object.keys(identity) : [];
  if (!isRecord(identity) || others.length > 0) return "its identity there is neither a command nor a url";
  if (kind === "command") return written.transport === "stdio" ? commandFault(identity, written) : OTHER;
  if (kind !== "url") return "its identity there is neither a command nor a url";
  return written.url === undefined ? OTHER : valueFault(identity.url, written.url);
}

const OTHER = "the server is not the one that it requires";
const UNREADABLE = "its requirement for the server cannot be read";

/** A text is the command, with any arguments; a table says what each argument must be. */
function commandFault({ command: required }: JsonMap, { command, args = [] }: WrittenServer) {
  if (typeof required === "string") return required === command ? undefined : OTHER;
  if (!isRecord(required) || !hasOnly(required, "executable", "args")) return UNREADABLE;
  const { executable, args: matchers } = required;
  if (typeof executable !== "string" || !Array.isArray(matchers)) return UNREADABLE;
  if (executable !== command || matchers.length !== args.length) return OTHER;
  const faults = matchers.map((matcher: unknown, index) =>
    isRecord(matcher) ? valueFault(matcher, args[index] ?? "") : UNREADABLE,
  );
  return faults.find((fault) => fault !== undefined);
}

/** A plain text, or a table that says how to compare. */
function valueFault(required: unknown, text: string): string | undefined {
  if (typeof required === "string") return required === text ? undefined : OTHER;
  if (!isRecord(required)) return UNREADABLE;
  const { match, value } = required;
  if (match === "regex") {
    // Codex matches in linear time. The engine here does not, and the expression or the text could keep it busy for ever.
    return "it uses a regular expression, which Jackfield does not evaluate, so nothing matches";
  }
  if (typeof value !== "string" || !hasOnly(required, "match", "value")) return UNREADABLE;
  if (match === "exact") return value === text ? undefined : OTHER;
  if (match === "prefix") return text.startsWith(value) ? undefined : OTHER;
  return UNREADABLE;
}

function hasOnly(map: JsonMap, ...members: readonly string[]): boolean {
  return Object.keys(map).every((member) => members.includes(member));
}
