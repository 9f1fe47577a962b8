import type { JsonPath } from "../documents/json-path.ts";
import { isMap, type JsonMap } from "../documents/json-value.ts";
import type { EntryRules, FieldNames } from "./entry-dialect.ts";

/** What stands for a value that only the user knows. */
export const GAP = "…";

/** Entries of formats in which the type is required, and Streamable HTTP has its whole name. */
export const TYPED_EXAMPLES: readonly JsonMap[] = [
  { type: "stdio", command: GAP },
  { type: "streamable-http", url: GAP },
];

/** The shortest entries that a host takes, for a child process and for a remote server, unless it says others itself. */
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

/** Names of a field that may be recommended: no old one. */
export function currentNames(
  names: FieldNames = [],
  outdated: EntryRules["outdated"] = {},
): readonly string[] {
  return [names].flat().filter((name) => !Object.hasOwn(outdated, name));
}

/** An example as it is written in JSON, which YAML takes as well, or in TOML. */
export function exampleText(value: unknown, isToml = false): string {
  if (Array.isArray(value)) return `[${value.map((element) => exampleText(element, isToml)).join(", ")}]`;
  if (!isMap(value)) return JSON.stringify(value);
  const members = Object.keys(value).map((name) => {
    const text = exampleText(value[name], isToml);
    return isToml ? `${name} = ${text}` : `${JSON.stringify(name)}: ${text}`;
  });
  return `{ ${members.join(", ")} }`;
}

/** The same for what stands at a path of a file. */
export function exampleAt(path: JsonPath, value: unknown, beside: JsonMap = {}): JsonMap {
  const [key = "", ...inner] = path;
  return { ...beside, [key]: inner.length > 0 ? exampleAt(inner, value) : value };
}
