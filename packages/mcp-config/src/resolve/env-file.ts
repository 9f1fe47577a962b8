import { McpError } from "@jackfield/mcp-core";
import { fileSystem } from "@jackfield/mcp-core/node";
import { isLoaderVariable, LOADER_FAULT } from "../entry/loader-variables.ts";
import { quote } from "../entry/server-name.ts";
import { describeLocation, invalidServer, locationOf } from "../find/diagnostics.ts";
import { readTextFile, reasonOf } from "../find/file.ts";
import { BOUNDARY_FAULT, isInside, projectRoot } from "../find/project-boundary.ts";
import { createMap } from "../read/json-value.ts";
import type { ReferringDefinition } from "./lookup.ts";
import { environmentNameFault } from "./safe-environment.ts";
import { referenceBeginning } from "./variables.ts";

/** Files of variables have some kilobytes; a larger one is a mistake. */
const LARGEST_ENV_FILE_BYTES = 1024 * 1024;

/**
 * Reads an entry's file of `NAME=value` lines as `node --env-file` does: quotes, comments, values over several lines. Values are
 * literal text: references in them are not filled in. A project's file must lie in the project also when symbolic links are followed.
 *
 * @param path - absolute, with references filled in
 * @throws McpError `MCP_CONFIG_NOT_FOUND` if it cannot be read; `MCP_CONFIG_INVALID` if it is larger than 1 MiB, not text, outside
 * the project, or sets a variable that no process can have or no project may set.
 */
export async function readEnvFile(
  definition: ReferringDefinition,
  path: string,
  platform: NodeJS.Platform,
): Promise<{ readonly [name: string]: string }> {
  checkBoundary(definition, path);
  const found = readTextFile(path, LARGEST_ENV_FILE_BYTES);
  if ("text" in found) return await parseVariables(found.text, definition, platform);
  if ("reason" in found) throw unreadable(definition, found.reason);
  const fault =
    found.fault === "too-large"
      ? `is larger than ${LARGEST_ENV_FILE_BYTES} bytes; name a file that contains only variables`
      : `is not valid ${found.encoding.toUpperCase()} text; save it as UTF-8`;
  throw refused(definition, `the file ${quote(shownPath(definition))} ${fault}.`);
}

/** A repository can bring a link to a file of the user, whose values an entry could then send anywhere. */
function checkBoundary(definition: ReferringDefinition, path: string): void {
  const root = projectRoot(definition.definedIn);
  if (root === undefined) return;
  const { native } = fileSystem.realpathSync;
  let isWithin: boolean;
  try {
    isWithin = isInside(native(path), native(root));
  } catch (cause) {
    throw unreadable(definition, reasonOf(cause));
  }
  if (!isWithin) throw refused(definition, `"envFile" ${BOUNDARY_FAULT}.`);
}

async function parseVariables(text: string, definition: ReferringDefinition, platform: NodeJS.Platform) {
  // Loaded here, because few entries have such a file.
  const { parseEnv } = await import("node:util");
  const isOfProject = definition.definedIn.scope === "project";
  const variables = createMap<string>();
  for (const [name, value = ""] of Object.entries(parseEnv(text))) {
    const isRefused = isOfProject && isLoaderVariable(name, platform);
    const ofValue = value.includes("\0") ? "has a NUL character in its value" : undefined;
    const fault = isRefused ? LOADER_FAULT : (environmentNameFault(name) ?? ofValue);
    if (fault) {
      const location = { file: shownPath(definition), line: lineOf(name, text) };
      throw invalidServer(definition.name, location, `${quote(name)} ${fault}.`, "resolve");
    }
    variables[name] = value;
  }
  return variables;
}

/** The line of a variable, which the parser does not report. If a name is written more than once, the last one counts. */
function lineOf(name: string, text: string): number | undefined {
  const lines = text.split("\n").map((line) => line.replace(/^\s*(?:export\s+)?/, ""));
  const index = lines.findLastIndex((line) => line.split("=", 1)[0]?.trim() === name);
  return index === -1 ? undefined : index + 1;
}

/** The path as written, up to its first reference: a default in it, or what was put in its place, may be a credential. */
function shownPath({ envFile = "" }: ReferringDefinition): string {
  const at = referenceBeginning(envFile);
  return at === -1 ? envFile : `${envFile.slice(0, at)}…`;
}

function unreadable(definition: ReferringDefinition, reason: string): McpError {
  const { name, definedIn } = definition;
  const message = `Server ${quote(name)} (${describeLocation(definedIn)}): the file ${quote(shownPath(definition))} cannot be read: ${reason}. Create it, or correct or remove "envFile" in the entry.`;
  const details = { server: name, phase: "resolve", location: locationOf(definedIn) } as const;
  return new McpError("MCP_CONFIG_NOT_FOUND", message, details);
}

function refused({ name, definedIn }: ReferringDefinition, text: string): McpError {
  return invalidServer(name, locationOf(definedIn), text, "resolve");
}
