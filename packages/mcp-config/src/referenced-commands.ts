import type { DefinitionScope, ServerDefinition } from "@jackfield/mcp-core";
import type { CommandOffer, CommandOutput, CommandValues } from "./command-values.ts";
import { fieldTexts } from "./field-texts.ts";
import { baseDirectory } from "./project-boundary.ts";
import { references, type VariableDialect } from "./variables.ts";

/** Whose entries may have values that commands print: what the user, the caller or an administrator has written. */
const TRUSTED: ReadonlySet<DefinitionScope> = new Set(["explicit", "managed", "local", "user"]);

/** What the commands printed that an entry refers to. One that is missing was not run. */
export type CommandOutputs = ReadonlyMap<string, CommandOutput>;

/**
 * Runs the commands that an entry refers to, as `!command` or `$(command)` does, in the directory of its file. Those of a project
 * or of an extension are never run.
 */
export async function runReferencedCommands(
  definition: ServerDefinition,
  dialect: VariableDialect,
  commands: CommandValues | undefined,
  offer: Omit<CommandOffer, "server">,
): Promise<CommandOutputs> {
  const { name, definedIn } = definition;
  if (commands === undefined || !TRUSTED.has(definedIn.scope)) return new Map();
  const found = [...findCommands(definition, dialect)];
  if (found.length === 0) return new Map();
  const cwd = baseDirectory(definedIn) ?? offer.cwd;
  const outputs = await commands.get(found, { ...offer, server: name, cwd });
  return new Map(found.map((command, index) => [command, outputs[index]]));
}

function findCommands(definition: ServerDefinition, dialect: VariableDialect): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { text, isValue } of fieldTexts(definition)) {
    for (const { reference } of references(text, dialect, isValue)) {
      if (reference.kind === "command") found.add(reference.name);
    }
  }
  return found;
}
