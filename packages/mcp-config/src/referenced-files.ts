import { realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { ServerDefinition } from "@jackfield/mcp-core";
import { expandHome } from "./anchored-path.ts";
import { isInside, projectRoot } from "./project-boundary.ts";
import { readTextFile } from "./text-file.ts";
import { references, type VariableDialect } from "./variables.ts";

/** A file that holds a secret has some hundred bytes; more than this is another file. */
const LARGEST_SECRET_BYTES = 64 * 1024;

/**
 * Reads the files that an entry refers to, as `{file:~/.secrets/token}` does, without the white space around what they hold.
 * A file that cannot be read is left out, and so is one outside the project for a project's entry, since its contents could
 * be sent anywhere. Relative paths are relative to the configuration file.
 */
export function readReferencedFiles(
  definition: ServerDefinition,
  dialect: VariableDialect,
  home: string,
): ReadonlyMap<string, string> {
  const contents = new Map<string, string>();
  for (const written of findReferencedFiles(definition, dialect)) {
    const { file = "" } = definition.definedIn;
    const path = resolve(dirname(file), expandHome(written, home));
    if (!mayRead(path, definition)) continue;
    const found = readTextFile(path, LARGEST_SECRET_BYTES);
    if ("text" in found) contents.set(written, found.text.trim());
  }
  return contents;
}

function findReferencedFiles(definition: ServerDefinition, dialect: VariableDialect): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const text of textsOf(definition)) {
    for (const { reference } of references(text, dialect, true)) {
      if (reference.kind === "file") paths.add(reference.name);
    }
  }
  return paths;
}

function textsOf(definition: ServerDefinition): readonly string[] {
  if (definition.transport === "in-process") return [];
  const { env = {}, envFile = "" } = definition;
  const texts = [envFile, ...Object.values(env)];
  if (definition.transport === "stdio") {
    return [...texts, definition.command, ...(definition.args ?? []), definition.cwd ?? ""];
  }
  return [...texts, definition.url, ...Object.values(definition.headers ?? {})];
}

function mayRead(path: string, { definedIn }: ServerDefinition): boolean {
  const root = projectRoot(definedIn);
  if (root === undefined) return true;
  try {
    return isInside(realpathSync.native(path), realpathSync.native(root));
  } catch {
    return false;
  }
}
