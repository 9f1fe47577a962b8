import type { JsonPath } from "../documents/json-path.ts";
import type { JsonMap } from "../documents/json-value.ts";
import { quote } from "../server-name.ts";
import type { EntryDialect, EntryFieldNames } from "./entry-dialect.ts";

/** Where an entry has what stands at a path of Jackfield's own names: hosts call many fields otherwise. */
export type FindWritten = (path: JsonPath) => JsonPath;

/** Looks for the names in an entry that its host has for each field. One that is not there has the first of them. */
export function writtenPaths(entry: JsonMap, { fields }: EntryDialect): FindWritten {
  return ([field, ...inner]) => {
    if (field === undefined) return [];
    const names = [fields[field as keyof EntryFieldNames] ?? field]
      .flat()
      .filter((name) => typeof name === "string");
    const written = names.find((name) => Object.hasOwn(entry, name)) ?? names[0] ?? field;
    return [written, ...inner];
  };
}

/** A field of an entry, or something in one, as a fault calls it. */
export function subjectOf(path: JsonPath): string {
  const field = quote(String(path.at(0)));
  return path.length === 1 ? field : `${quote(String(path.at(-1)))} in ${field}`;
}
