import type { ServerDefinition } from "@jackfield/mcp-core";
import type { JsonPath } from "./documents/json-path.ts";
import { isPlainValue } from "./plain-values.ts";

/** A text of an entry in which references are filled in. */
export interface FieldText {
  readonly text: string;
  /** The field, by its name in the definition. */
  readonly path: JsonPath;
  /** Whether it is a value of `env` or a header, in which hosts allow further kinds of references. */
  readonly isValue: boolean;
}

/** Every text of an entry that may contain references. */
export function fieldTexts(definition: ServerDefinition): readonly FieldText[] {
  if (definition.transport === "in-process") return [];
  const { env = {}, envFile = "" } = definition;
  const isProcess = definition.transport === "stdio";
  const valuesIn = (field: "env" | "headers", texts: { readonly [name: string]: string }) =>
    Object.entries(texts).map(([name, text]) => {
      return { text, path: [field, name], isValue: !isPlainValue(definition, field, name) };
    });
  const plain = (text: string, ...path: JsonPath): FieldText => ({ text, path, isValue: false });
  const others = isProcess
    ? [
        plain(definition.command, "command"),
        ...(definition.args ?? []).map((text, index) => plain(text, "args", index)),
        plain(definition.cwd ?? "", "cwd"),
      ]
    : [plain(definition.url, "url")];
  return [
    ...valuesIn("env", env),
    ...(isProcess ? [] : valuesIn("headers", definition.headers ?? {})),
    plain(envFile, "envFile"),
    ...others,
  ];
}
