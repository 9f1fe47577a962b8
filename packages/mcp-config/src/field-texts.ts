import type { ServerDefinition } from "@jackfield/mcp-core";

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
  const values = [...Object.values(env), ...(isProcess ? [] : Object.values(definition.headers ?? {}))];
  const others = isProcess
    ? [envFile, definition.command, ...(definition.args ?? []), definition.cwd ?? ""]
    : [envFile, definition.url];
  return [
    ...values.map((text) => ({ text, isValue: true })),
    ...others.map((text) => ({ text, isValue: false })),
  ];
}
