import type { DefinedIn, DefinitionScope, ServerDefinition } from "@jackfield/mcp-core";
import type { CommandOffer, CommandOutput, CommandValues, PlacedCommand } from "./command-values.ts";
import type { JsonPath } from "./documents/json-path.ts";
import { fieldTexts } from "./field-texts.ts";
import { baseDirectory, placeOfPart } from "./project-boundary.ts";
import { references, type VariableDialect } from "./variables.ts";

/** Scopes whose commands are run: the entries of the user, the caller or an administrator. */
const TRUSTED: ReadonlySet<DefinitionScope> = new Set(["explicit", "managed", "local", "user"]);

/** The outputs of the commands that an entry refers to, by `keyOfCommand`. A missing one was not run. */
export type CommandOutputs = ReadonlyMap<string, CommandOutput>;

/**
 * Runs the commands that an entry refers to, as `!command` or `$(command)` does, each in the directory of the file that wrote it. Those of
 * a project or of an extension are never run.
 */
export async function runReferencedCommands(
  definition: ServerDefinition,
  dialect: VariableDialect,
  commands: CommandValues | undefined,
  { cwd: ownDirectory, ...offer }: Omit<CommandOffer, "server"> & { readonly cwd: string },
): Promise<CommandOutputs> {
  const { name, definedIn } = definition;
  if (commands === undefined || !TRUSTED.has(definedIn.scope)) return new Map();
  const found = findCommands(definition, dialect, ownDirectory);
  if (found.size === 0) return new Map();
  const outputs = await commands.get([...found.values()], { ...offer, server: name });
  return new Map([...found.keys()].map((key, index) => [key, outputs[index]]));
}

/** Identifies a command in a field: the same text may be another command in a field that another file wrote. */
export function keyOfCommand(command: string, path: JsonPath, definedIn: DefinedIn): string {
  return JSON.stringify([command, baseDirectory(placeOfPart(definedIn, path))]);
}

function findCommands(
  definition: ServerDefinition,
  dialect: VariableDialect,
  ownDirectory: string,
): ReadonlyMap<string, PlacedCommand> {
  const { definedIn } = definition;
  const found = new Map<string, PlacedCommand>();
  for (const { text, path, isValue } of fieldTexts(definition)) {
    for (const { reference } of references(text, dialect, isValue)) {
      if (reference.kind !== "command") continue;
      const { name: command } = reference;
      const cwd = baseDirectory(placeOfPart(definedIn, path)) ?? ownDirectory;
      found.set(keyOfCommand(command, path, definedIn), { command, cwd });
    }
  }
  return found;
}
