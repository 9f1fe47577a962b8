import type { ServerDefinition } from "@jackfield/mcp-core";
import { isPlainValue } from "./plain-values.ts";

/** A text of an entry in which references are filled in. */
export interface FieldText {
  readonly text: string;
  /** Whether it is a value of `env` or a header, for which hosts have further ways to refer to something. */
  readonly isValue: boolean;
}

/** Every text of an entry that may refer to something. */
export function fieldTexts(definition: ServerDefinition): readonly FieldText[] {
  if (definition.transport === "in-process") return [];
  const { env = {}, envFile = "" } = definition;
  const isProcess = definition.transport === "stdio";
  const valuesIn = (field: "env" | "headers", texts: { readonly [name: string]: string }) =>
    Object.entries(texts).map(([name, text]) => ({ text, isValue: !isPlainValue(definition, field, name) }));
  const others = isProcess
    ? [envFile, definition.command, ...(definition.args ?? []), definition.cwd ?? ""]
    : [envFile, definition.url];
  return [
    ...valuesIn("env", env),
    ...(isProcess ? [] : valuesIn("headers", definition.headers ?? {})),
    ...others.map((text) => ({ text, isValue: false })),
  ];
}
