import { type AdHocServer, adHocServer, commandServer } from "./ad-hoc-server.ts";
import type { CommonArguments } from "./arguments.ts";
import { UsageError } from "./wrong-usage.ts";

/** What was typed of a server, and the words behind it. */
interface TypedServer {
  readonly server: string | undefined;
  readonly words: readonly string[];
  /** Where the server is found if it is none of those that are configured. */
  readonly places: Partial<Pick<CommonArguments, "servers" | "configFiles" | "hosts">>;
}

/** For commands whose first word names a server, is its address, or is its command. */
export function serverFirst(
  typed: readonly (string | undefined)[],
  own: readonly string[] | undefined,
  { cwd }: CommonArguments,
): TypedServer {
  const words = typed.filter((word) => word !== undefined);
  const [first, ...rest] = words;
  if (own !== undefined) return { ...adHoc(commandOf(own, cwd)), words };
  const found = first === undefined ? undefined : adHocServer(first, cwd);
  return found === undefined ? { server: first, words: rest, places: {} } : { ...adHoc(found), words: rest };
}

/** The same for commands whose first word is a tool or a prompt, unless it is an address or a command. */
export function typedServerFirst(
  typed: readonly (string | undefined)[],
  own: readonly string[] | undefined,
  common: CommonArguments,
): TypedServer {
  const found = serverFirst(typed, own, common);
  if (found.places.servers !== undefined) return found;
  return { server: undefined, words: typed.filter((word) => word !== undefined), places: {} };
}

function adHoc({ name, server }: AdHocServer): Omit<TypedServer, "words"> {
  return { server: name, places: { servers: { [name]: server }, configFiles: [], hosts: [] } };
}

function commandOf(words: readonly string[], cwd: string | undefined): AdHocServer {
  if (words.length === 0) throw new UsageError('A command is missing behind "--".');
  return commandServer(words, cwd);
}
