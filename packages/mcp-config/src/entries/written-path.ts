import type { JsonPath } from "../documents/json-path.ts";
import { isMap, type JsonMap } from "../documents/json-value.ts";
import { quote } from "../server-name.ts";
import type { EntryDialect, EntryFieldNames } from "./entry-dialect.ts";

/** Where an entry has what stands at a path of Jackfield's own names: hosts call many fields otherwise. */
export type FindWritten = (path: JsonPath) => JsonPath;

/** Looks for the names in an entry that its host has for each field. One that is not there has the first of them. */
export function writtenPaths(entry: JsonMap, dialect: EntryDialect): FindWritten {
  return (path) => {
    const [field, ...inner] = path;
    if (field === undefined) return [];
    if (field === "oauth") return oauthPath(entry, inner, dialect);
    return [writtenName(entry, field, dialect), ...inner];
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

/** A field of an entry, or something in one, as a fault calls it. */
export function subjectOf(path: JsonPath): string {
  const field = quote(String(path.at(0)));
  return path.length === 1 ? field : `${quote(String(path.at(-1)))} in ${field}`;
}
