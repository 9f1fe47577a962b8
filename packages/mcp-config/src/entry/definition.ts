import { isAbsolute, join, resolve, sep } from "node:path";
import type { ServerDefinition, ServerLimits } from "@jackfield/mcp-core";
import { BOUNDARY_FAULT, boundsOf, climbsOut, isInside } from "../find/project-boundary.ts";
import { createMap } from "../read/json-value.ts";
import {
  dialectFor,
  hasVariables,
  OWN_VARIABLES,
  references,
  type VariableDialect,
} from "../resolve/variables.ts";
import type { EntryContext } from "./entry.ts";
import type { FaultAt } from "./entry-fault.ts";
import { isNormalUrl, schemeOf } from "./http-syntax.ts";
import { LOADER_FAULT, loaderOfProject } from "./loader-variables.ts";
import type { WrittenServer } from "./written-server.ts";

/**
 * Turns what was read into a definition: relative paths become absolute, and a project's entry that does something forbidden is
 * refused. In an entry joined from several files, each field is judged by the file that wrote it.
 *
 * @param faultAt - for paths of Jackfield's own field names
 * @throws EntryFault for an invalid URL, and for a project's entry that does something forbidden
 */
export function defineServer(
  written: WrittenServer,
  entry: EntryContext,
  faultAt: FaultAt,
): ServerDefinition {
  const variables = dialectFor(entry.variables, written);
  const context = variables === entry.variables ? entry : { ...entry, variables };
  const { name, definedIn, platform } = context;
  const { transport, enabled, lazy, shared, tools, extra } = written;
  const loader = loaderOfProject(definedIn, written.env, platform);
  if (loader !== undefined) throw faultAt(["env", loader], `${LOADER_FAULT}.`);
  const limits = limitsOf(written);
  const anchored = (field: "command" | "cwd" | "envFile") => {
    const path = written[field];
    return path === undefined ? undefined : anchorField(field, path, context, faultAt);
  };
  const envFile = anchored("envFile");
  const { env, envUnset } = splitVariables(written.env);
  const rest = { ...(enabled ? undefined : { enabled }), ...(extra ? { extra } : undefined) };
  // The engine adds properties after a spread slowly, one by one. So spreads come last, and the fields of both transports are
  // written twice.
  if (transport === "stdio") {
    const { args } = written;
    const command = anchored("command") ?? "";
    const cwd = anchored("cwd");
    const envPassthrough = handedOn(written);
    const process = { name, definedIn, transport, command, args, env, envUnset, envPassthrough, cwd };
    return { ...process, lazy, shared, limits, tools, envFile, ...rest };
  }
  const { headers, headersFromEnv, bearerTokenEnv, oauth } = written;
  const url = checkedUrl(written, context, faultAt);
  const remote = { name, definedIn, transport, url, headers, headersFromEnv, bearerTokenEnv, oauth, env };
  return { ...remote, lazy, shared, limits, tools, envFile, ...rest };
}

/** The limits that an entry sets, if any. */
export function limitsOf(written: Omit<WrittenServer, "transport">): ServerLimits | undefined {
  const { connectTimeoutMs, timeoutMs: callTimeoutMs, maxTotalMs, maxMessageBytes, maxTools } = written;
  const { maxConcurrentCalls, trustAnnotations, checkArguments, era } = written;
  const bounds = { connectTimeoutMs, callTimeoutMs, maxTotalMs, maxMessageBytes, maxTools };
  const limits = { ...bounds, maxConcurrentCalls, trustAnnotations, checkArguments, era };
  return Object.values(limits).some((limit) => limit !== undefined) ? limits : undefined;
}

/** Required variables are passed on as well: whoever sets them means them for the server. */
function handedOn({ envPassthrough, requires }: WrittenServer): readonly string[] | undefined {
  return requires?.env ? [...(envPassthrough ?? []), ...requires.env] : envPassthrough;
}

/** Variables with a value, and the names of those that are to be unset. */
function splitVariables(variables: WrittenServer["env"] = undefined) {
  if (variables === undefined) return {};
  const names = Object.keys(variables);
  const envUnset = names.filter((name) => variables[name] === null);
  if (envUnset.length === 0) return { env: variables as { readonly [name: string]: string } };
  const env = createMap<string>();
  for (const name of names) {
    const value = variables[name];
    if (typeof value === "string") env[name] = value;
  }
  return { env, envUnset };
}

function checkedUrl(
  { url = "" }: WrittenServer,
  { dialect, variables }: EntryContext,
  faultAt: FaultAt,
): string {
  const { urlSchemes = ["http", "https"] } = dialect;
  const scheme = schemeOf(url) ?? "";
  const isWhole = urlSchemes.includes(scheme) && (isNormalUrl(url) || isWholeUrl(url, scheme));
  if (isWhole || hasVariables(url, variables)) return url;
  const beginnings = urlSchemes.map((known) => `${known}://`).join(" or ");
  throw faultAt(["url"], `must be a complete URL that starts with ${beginnings}.`);
}

function isWholeUrl(url: string, scheme: string): boolean {
  return url.startsWith("//", scheme.length + 1) && URL.canParse(url);
}

/**
 * Makes a path absolute, from the directory it was written for (threat: a relative path that means another file wherever the host
 * happens to run). A path that begins with a variable or `~/` is returned as it is: the first may turn out absolute, so both are
 * anchored after expansion.
 */
export function anchorPath(
  path: string,
  directory: string,
  dialect: VariableDialect = OWN_VARIABLES,
): string {
  if (isAbsolute(path) || isBelowHome(path)) return path;
  const first = references(path, dialect, false).next();
  if (first.done) return resolve(directory, path);
  // Normalising would also rewrite text inside a reference's default.
  return first.value.from === 0 ? path : `${directory}${sep}${path}`;
}

/** A command made absolute if it is a relative path; a bare name such as `npx` stays, to be looked up in `PATH`. */
export function anchorCommand(command: string, directory: string, dialect?: VariableDialect): string {
  const isPath = command.includes("/") || command.includes(sep);
  return isPath ? anchorPath(command, directory, dialect) : command;
}

/** Whether a path is written from the user's home: `~` or `~/…`. */
function isBelowHome(path: string): boolean {
  return path === "~" || path.startsWith("~/") || path.startsWith(`~${sep}`);
}

/** A path with its `~` filled in. */
export function expandHome(path: string, home: string): string {
  return isBelowHome(path) ? join(home, path.slice(1)) : path;
}

/** Anchors an expanded path: fills in its `~`, and makes it absolute if it is relative. */
export function anchorFilledIn(path: string, directory: string | undefined, home: string): string {
  const expanded = expandHome(path, home);
  return directory === undefined ? expanded : anchorPath(expanded, directory);
}

/**
 * A path of an entry made absolute. What a project's entry names must lie in the project; a bare command, and one that is absolute, are
 * programs of the system. A path with variables is checked when they are filled in.
 *
 * @throws EntryFault for a path of a project's entry that leads out of the project
 */
function anchorField(
  field: "command" | "cwd" | "envFile",
  path: string,
  { definedIn, directory, variables }: EntryContext,
  faultAt: FaultAt,
): string {
  const bounds = boundsOf(definedIn, field, variables);
  const { root } = bounds;
  const base = directory ?? bounds.base ?? ".";
  const anchored = (field === "command" ? anchorCommand : anchorPath)(path, base, variables);
  if (root === undefined || hasVariables(path, variables)) return anchored;
  const isOutside =
    field === "command" ? climbsOut(path, root, base) : isBelowHome(anchored) || !isInside(anchored, root);
  if (isOutside) throw faultAt([field], `${BOUNDARY_FAULT}.`);
  return anchored;
}
