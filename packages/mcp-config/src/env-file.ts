import { McpError, type ServerDefinition } from "@jackfield/mcp-core";
import { fileSystem } from "@jackfield/mcp-core/node";
import { createMap } from "./documents/json-value.ts";
import { isLoaderVariable, LOADER_FAULT } from "./loader-variables.ts";
import { BOUNDARY_FAULT, isInside, projectRoot } from "./project-boundary.ts";
import { environmentNameFault } from "./safe-environment.ts";
import { quote } from "./server-name.ts";
import { describeLocation, invalidServer, locationOf } from "./sources/config-problem.ts";
import { readTextFile, reasonOf } from "./text-file.ts";

/** Files of variables have some kilobytes; a larger one is a mistake. */
const LARGEST_ENV_FILE_BYTES = 1024 * 1024;

/** A file of variables that an entry names. */
export interface EnvFile {
  readonly definition: ServerDefinition;
  /** Absolute. */
  readonly path: string;
  /** The path as written, without defaults. Messages show only this, since a variable in it may hold anything. */
  readonly shown: string;
}

/**
 * Reads `NAME=value` lines as `node --env-file` does: quotes, comments, values over several lines. Values are literal text:
 * references in them are not filled in. A project's file must lie in the project also when symbolic links are followed.
 *
 * @throws McpError `MCP_CONFIG_NOT_FOUND` if it cannot be read; `MCP_CONFIG_INVALID` if it is larger than 1 MiB, not text, outside
 * the project, or sets a variable that no process can have or no project may set.
 */
export async function readEnvFile(
  envFile: EnvFile,
  platform: NodeJS.Platform,
): Promise<{ readonly [name: string]: string }> {
  checkBoundary(envFile);
  const found = readTextFile(envFile.path, LARGEST_ENV_FILE_BYTES);
  if ("text" in found) return await parseVariables(found.text, envFile, platform);
  if ("reason" in found) throw unreadable(envFile, found.reason);
  const fault =
    found.fault === "too-large"
      ? `is larger than ${LARGEST_ENV_FILE_BYTES} bytes; name a file that contains only variables`
      : `is not valid ${found.encoding.toUpperCase()} text; save it as UTF-8`;
  throw refused(envFile, `the file ${quote(envFile.shown)} ${fault}.`);
}

/** A repository can bring a link to a file of the user, whose values an entry could then send anywhere. */
function checkBoundary(envFile: EnvFile): void {
  const root = projectRoot(envFile.definition.definedIn);
  if (root === undefined) return;
  let isWithin: boolean;
  try {
    isWithin = isInside(fileSystem.realpathSync.native(envFile.path), fileSystem.realpathSync.native(root));
  } catch (cause) {
    throw unreadable(envFile, reasonOf(cause));
  }
  if (!isWithin) throw refused(envFile, `"envFile" ${BOUNDARY_FAULT}.`);
}

async function parseVariables(text: string, { definition, shown }: EnvFile, platform: NodeJS.Platform) {
  // Loaded here, because few entries have such a file.
  const { parseEnv } = await import("node:util");
  const isOfProject = definition.definedIn.scope === "project";
  const variables = createMap<string>();
  for (const [name, value = ""] of Object.entries(parseEnv(text))) {
    const isRefused = isOfProject && isLoaderVariable(name, platform);
    const fault = isRefused ? LOADER_FAULT : (environmentNameFault(name) ?? valueFault(value));
    if (fault) {
      const location = { file: shown, line: lineOf(name, text) };
      throw invalidServer(definition.name, location, `${quote(name)} ${fault}.`, "resolve");
    }
    variables[name] = value;
  }
  return variables;
}

function valueFault(value: string): string | undefined {
  return value.includes("\0") ? "has a NUL character in its value" : undefined;
}

/** The line of a variable, which the parser does not report. If a name is written more than once, the last one counts. */
function lineOf(name: string, text: string): number | undefined {
  const lines = text.split("\n").map((line) => line.replace(/^\s*(?:export\s+)?/, ""));
  const index = lines.findLastIndex((line) => line.split("=", 1)[0]?.trim() === name);
  return index === -1 ? undefined : index + 1;
}

function unreadable(envFile: EnvFile, reason: string): McpError {
  const { name, definedIn } = envFile.definition;
  const message = `Server ${quote(name)} (${describeLocation(definedIn)}): the file ${quote(envFile.shown)} cannot be read: ${reason}. Create it, or correct or remove "envFile" in the entry.`;
  const details = { server: name, phase: "resolve", location: locationOf(definedIn) } as const;
  return new McpError("MCP_CONFIG_NOT_FOUND", message, details);
}

function refused({ definition: { name, definedIn } }: EnvFile, text: string): McpError {
  return invalidServer(name, locationOf(definedIn), text, "resolve");
}
