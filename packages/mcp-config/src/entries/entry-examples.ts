import { isRecord } from "@jackfield/mcp-core";
import type { JsonPath } from "../documents/json-path.ts";
import type { JsonMap } from "../documents/json-value.ts";
import type { EntryRules, FieldNames } from "./entry-dialect.ts";

/** The placeholder for a value that only the user knows. */
export const GAP = "…";

/** Examples for formats that require the type and spell out `streamable-http`. */
export const TYPED_EXAMPLES: readonly JsonMap[] = [
  { type: "stdio", command: GAP },
  { type: "streamable-http", url: GAP },
];

/** The host's own examples, else the shortest entries that it accepts: a child process and a remote server. */
export function shortestEntries({ transport, fields, outdated, examples }: EntryRules): readonly JsonMap[] {
  if (examples) return examples;
  const [command] = currentNames(fields.command, outdated);
  const [url] = currentNames(fields.url, outdated);
  const { field, types, untypedUrl } = transport;
  const type = Object.keys(types).find((written) => types[written] !== "stdio");
  const needed = untypedUrl === "refused" && field !== undefined ? { [field]: type } : {};
  return [
    ...(command === undefined ? [] : [{ [command]: GAP }]),
    ...(url === undefined ? [] : [{ ...needed, [url]: GAP }]),
  ];
}

/** The names of a field that messages may recommend, which are not the old ones. */
export function currentNames(
  names: FieldNames = [],
  outdated: EntryRules["outdated"] = {},
): readonly string[] {
  return [names].flat().filter((name) => !Object.hasOwn(outdated, name));
}

/** An example as JSON, which YAML accepts as well, or as TOML. */
export function exampleText(value: unknown, isToml = false): string {
  if (Array.isArray(value)) return `[${value.map((element) => exampleText(element, isToml)).join(", ")}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const members = Object.keys(value).map((name) => {
    const text = exampleText(value[name], isToml);
    return isToml ? `${name} = ${text}` : `${JSON.stringify(name)}: ${text}`;
  });
  return `{ ${members.join(", ")} }`;
}

/** A document with an example at a path, and with `beside` at its root. */
export function exampleAt(path: JsonPath, value: unknown, beside: JsonMap = {}): JsonMap {
  const [key = "", ...inner] = path;
  return { ...beside, [key]: inner.length > 0 ? exampleAt(inner, value) : value };
}
