import type { DefinitionScope, ServerDefinition } from "@jackfield/mcp-core";
import type { CommandSurroundings, CommandValues } from "./command-values.ts";
import { fieldTexts } from "./field-texts.ts";
import { baseDirectory } from "./project-boundary.ts";
import { references, type VariableDialect } from "./variables.ts";

/** Whose entries may have values that commands print: what the user, the caller or an administrator has written. */
const TRUSTED: ReadonlySet<DefinitionScope> = new Set(["explicit", "managed", "local", "user"]);

/** What the commands printed that an entry refers to; `undefined` for one that failed. One that is missing was not run. */
export type CommandOutputs = ReadonlyMap<string, string | undefined>;

/**
 * Runs the commands that an entry refers to, as `!command` or `$(command)` does, in the directory of its file. Those of a project
 * or of an extension are never run.
 */
export async function runReferencedCommands(
  definition: ServerDefinition,
  dialect: VariableDialect,
  commands: CommandValues | undefined,
  surroundings: CommandSurroundings,
): Promise<CommandOutputs> {
  const { definedIn } = definition;
  if (commands === undefined || !TRUSTED.has(definedIn.scope)) return new Map();
  const cwd = baseDirectory(definedIn) ?? surroundings.cwd;
  const outputs = [...findCommands(definition, dialect)].map(
    async (command) => [command, await commands.get(command, { ...surroundings, cwd })] as const,
  );
  return new Map(await Promise.all(outputs));
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
