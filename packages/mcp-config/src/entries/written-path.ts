import type { JsonPath } from "../documents/json-path.ts";
import { isMap, type JsonMap, ownMember } from "../documents/json-value.ts";
import { quote } from "../server-name.ts";
import type { EntryDialect, EntryFieldNames } from "./entry-dialect.ts";
import type { EntryPlace } from "./entry-place.ts";

/** Where an entry has what stands at a path of Jackfield's own names: hosts call many fields otherwise. */
export type FindWritten = (path: JsonPath) => JsonPath;

/** Looks for the names in an entry that its host has for each field. One that is not there has the first of them. */
export function writtenPaths(
  entry: JsonMap,
  { dialect, platform }: Pick<EntryPlace, "dialect" | "platform">,
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

/** A setting for logins is a field of the entry itself, or a member of an object. */
function oauthPath(entry: JsonMap, [setting, ...inner]: JsonPath, { oauth = {} }: EntryDialect): JsonPath {
  const { object = "oauth", members = {}, fields = {} } = oauth;
  const isMeant = (names: { readonly [written: string]: string }, holder: unknown) => (name: string) =>
    names[name] === setting && isMap(holder) && Object.hasOwn(holder, name);
  const own = Object.keys(fields).find(isMeant(fields, entry));
  if (own !== undefined) return [own, ...inner];
  if (setting === undefined) return [object];
  return [object, Object.keys(members).find(isMeant(members, entry[object])) ?? setting, ...inner];
}

/** The place of an entry, and what is written there. */
export interface WrittenPlace extends EntryPlace {
  /** Missing for a server in this process. */
  readonly entry?: JsonMap | undefined;
}

/** The place of an entry, for paths of the shape in which it is read. */
export function placeOfReshaped(entry: JsonMap, place: EntryPlace): WrittenPlace {
  const { dialect, platform } = place;
  const { writtenAt } = dialect;
  if (!writtenAt) return { ...place, entry };
  return { ...place, entry, locate: (path) => place.locate(writtenAt(path, entry, platform)) };
}

/** Which other name of the same field has won over one that was left, if that is why it was left. */
export function winnerOver(
  field: string,
  { dialect, entry = {} }: WrittenPlace,
  unread: JsonMap,
): string | undefined {
  const isRead = (name: string) => Object.hasOwn(entry, name) && !Object.hasOwn(unread, name);
  for (const written of Object.values(dialect.fields)) {
    if (typeof written === "string") continue;
    const names = written.map((name) => (typeof name === "string" ? name : name.field));
    if (names.includes(field)) return names.find(isRead);
  }
  const { fields: settings = {} } = dialect.oauth ?? {};
  const setting = ownMember(settings, field);
  if (setting === undefined) return undefined;
  return Object.keys(settings).find((name) => settings[name] === setting && isRead(name));
}

/** Where a command stands that `splitCommand` has taken apart. */
export function placeInCommand(path: JsonPath, { command, args }: JsonMap): JsonPath {
  if (!Array.isArray(command)) return path;
  const [field, index, ...inner] = path;
  if (field === "command") return ["command", 0];
  if (field !== "args") return path;
  if (typeof index !== "number") return [Array.isArray(args) ? "args" : "command"];
  const own = command.length - 1;
  return index < own ? ["command", index + 1, ...inner] : ["args", index - own, ...inner];
}

/** A field of an entry, or something in one, as a fault calls it. */
export function subjectOf(path: JsonPath): string {
  const field = quote(String(path.at(0)));
  return path.length === 1 ? field : `${quote(String(path.at(-1)))} in ${field}`;
}
