import { dirname, resolve } from "node:path";
import type { ServerDefinition } from "@jackfield/mcp-core";
import { expandHome } from "./anchored-path.ts";
import { fieldTexts } from "./field-texts.ts";
import { readTextFile } from "./text-file.ts";
import { OWN_VARIABLES, references, type VariableDialect } from "./variables.ts";

/** Files with a secret have some hundred bytes; a larger one is a mistake. */
const LARGEST_SECRET_BYTES = 64 * 1024;

/**
 * Reads and trims the files that an entry refers to, as in `{file:~/.secrets/token}`. An unreadable file is left out, and so is
 * every file of a project's entry, because a project's folder may also hold the user's secrets (threat T13). Relative paths are
 * relative to the configuration file.
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
