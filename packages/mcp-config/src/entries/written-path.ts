import { isRecord } from "@jackfield/mcp-core";
import type { JsonPath } from "../documents/json-path.ts";
import { type JsonMap, ownMember } from "../documents/json-value.ts";
import { quote } from "../server-name.ts";
import type { EntryContext } from "./entry-context.ts";
import type { EntryDialect, EntryFieldNames } from "./entry-dialect.ts";

/** Maps a path of Jackfield's own field names to the path in the entry, in which hosts have other names. */
export type FindWritten = (path: JsonPath) => JsonPath;

/** Looks in an entry for the host's names of each field. A missing field gets the first of its names. */
export function writtenPaths(
  entry: JsonMap,
  { dialect, platform }: Pick<EntryContext, "dialect" | "platform">,
): FindWritten {
  return (path) => {
    const [field, ...inner] = path;
    if (field === undefined) return [];
    if (field === "oauth") return oauthPath(entry, inner, dialect);
    const shaped = [writtenName(entry, field, dialect), ...inner];
    return dialect.writtenAt?.(shaped, entry, platform) ?? shaped;
  };
}

function writtenName(entry: JsonMap, field: string | number, { fields }: EntryDialect): string | number {
  const names = [fields[field as keyof EntryFieldNames] ?? field]
    .flat()
    .filter((name) => typeof name === "string");
  return names.find((name) => Object.hasOwn(entry, name)) ?? names[0] ?? field;
}

/** The path of an OAuth setting, which is a field of the entry itself or a member of an object. */
function oauthPath(entry: JsonMap, [setting, ...inner]: JsonPath, { oauth = {} }: EntryDialect): JsonPath {
  const { object = "oauth", members = {}, fields = {} } = oauth;
  const holdsSetting = (names: { readonly [written: string]: string }, holder: unknown) => (name: string) =>
    names[name] === setting && isRecord(holder) && Object.hasOwn(holder, name);
  const own = Object.keys(fields).find(holdsSetting(fields, entry));
  if (own !== undefined) return [own, ...inner];
  if (setting === undefined) return [object];
  return [object, Object.keys(members).find(holdsSetting(members, entry[object])) ?? setting, ...inner];
}

/** The context of an entry, with the entry as written. */
export interface WrittenEntryContext extends EntryContext {
  /** Missing for an in-process server. */
  readonly entry?: JsonMap | undefined;
}

/** The context of an entry, for paths in its reshaped form. */
export function contextOfReshaped(entry: JsonMap, context: EntryContext): WrittenEntryContext {
  const { dialect, platform } = context;
  const { writtenAt } = dialect;
  if (!writtenAt) return { ...context, entry };
  return { ...context, entry, locate: (path) => context.locate(writtenAt(path, entry, platform)) };
}

/** The other name of the same field that won over a field left unread, if there is one. */
export function winnerOver(
  field: string,
  { dialect, entry = {} }: WrittenEntryContext,
  unread: JsonMap,
): string | undefined {
  const isRead = (name: string) => Object.hasOwn(entry, name) && !Object.hasOwn(unread, name);
  for (const written of Object.values(dialect.fields)) {
    if (typeof written === "string") continue;
    const names = written.map((name) => (typeof name === "string" ? name : name.field));
    if (names.includes(field)) return names.find(isRead);
  }
  const { object = "", fields: settings = {} } = dialect.oauth ?? {};
  const setting = ownMember(settings, field);
  if (setting === undefined) return undefined;
  if (ownMember(entry, object) === false) return object;
  return Object.keys(settings).find((name) => settings[name] === setting && isRead(name));
}

/** The path in the file of what `splitCommand` has put at a path. */
export function placeInCommand(path: JsonPath, { command, args }: JsonMap): JsonPath {
  if (!Array.isArray(command)) return path;
  const [field, index, ...inner] = path;
  if (field === "command") return ["command", 0];
  if (field !== "args") return path;
  if (typeof index !== "number") return [Array.isArray(args) ? "args" : "command"];
  const own = command.length - 1;
  return index < own ? ["command", index + 1, ...inner] : ["args", index - own, ...inner];
}

/** How a message names a field of an entry, or something in one. */
export function subjectOf(path: JsonPath): string {
  const field = quote(String(path.at(0)));
  return path.length === 1 ? field : `${quote(String(path.at(-1)))} in ${field}`;
}
