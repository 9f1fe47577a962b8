import { dirname, resolve } from "node:path";
import type { ServerDefinition } from "@jackfield/mcp-core";
import { expandHome } from "./anchored-path.ts";
import { fieldTexts } from "./field-texts.ts";
import { readTextFile } from "./text-file.ts";
import { OWN_VARIABLES, references, type VariableDialect } from "./variables.ts";

/** A file that holds a secret has some hundred bytes; more than this is another file. */
const LARGEST_SECRET_BYTES = 64 * 1024;

/**
 * Reads the files that an entry refers to, as `{file:~/.secrets/token}` does, without the white space around what they hold.
 * A file that cannot be read is left out, and so is every file for a project's entry, since a project's folder also holds
 * what only its user knows (threat T13). Relative paths are relative to the configuration file.
 */
export function readReferencedFiles(
  definition: ServerDefinition,
  dialect: VariableDialect,
  home: string,
): ReadonlyMap<string, string> {
  const contents = new Map<string, string>();
  const refersToNone = dialect === OWN_VARIABLES || definition.definedIn.scope === "project";
  if (refersToNone) return contents;
  for (const written of findReferencedFiles(definition, dialect)) {
    const { file = "" } = definition.definedIn;
    const path = resolve(dirname(file), expandHome(written, home));
    const found = readTextFile(path, LARGEST_SECRET_BYTES);
    if ("text" in found) contents.set(written, found.text.trim());
  }
  return contents;
}

function findReferencedFiles(definition: ServerDefinition, dialect: VariableDialect): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const { text, isValue } of fieldTexts(definition)) {
    for (const { reference } of references(text, dialect, isValue)) {
      if (reference.kind === "file") paths.add(reference.name);
    }
  }
  return paths;
}
