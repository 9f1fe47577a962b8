import type { McpError, ServerDefinition, ServerLimits } from "@jackfield/mcp-core";
import { anchorCommand, anchorPath, isBelowHome } from "../anchored-path.ts";
import type { JsonPath } from "../documents/json-path.ts";
import { schemeOf } from "../http-syntax.ts";
import { LOADER_FAULT, loaderOfProject } from "../loader-variables.ts";
import { BOUNDARY_FAULT, boundsOf, climbsOut, isInside } from "../project-boundary.ts";
import { dialectFor, hasVariables } from "../variables.ts";
import { anchorReferences } from "./anchored-references.ts";
import type { EntryContext } from "./entry-context.ts";
import { withoutNulls } from "./entry-fields.ts";
import type { WrittenServer } from "./written-server.ts";

/** Makes the error for a fault at a path of Jackfield's own field names; the text says what is wrong there. */
export type FaultIn = (path: JsonPath, text: string) => McpError;

/**
 * Turns a written entry into a definition: relative paths become absolute, and a project's entry that does something forbidden is
 * refused. In an entry joined from several files, each field is judged by the file that wrote it.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an invalid URL, and for a project's entry that does something forbidden.
 */
export function defineServer(given: WrittenServer, entry: EntryContext, faultIn: FaultIn): ServerDefinition {
  const variables = dialectFor(entry.variables, given);
  const context = variables === entry.variables ? entry : { ...entry, variables };
  const written = entry.definedIn.parts ? anchorReferences(given, context) : given;
  const { transport, enabled, lazy, shared, tools, extra } = written;
  const { name, definedIn } = context;
  checkLoaders(written, context, faultIn);
  const limits = limitsOf(written);
  const envFile = anchored("envFile", written, context, faultIn);
  const { values: env, unset } = splitVariables(written.env);
  const rest = { ...(enabled ? undefined : { enabled }), ...(extra ? { extra } : undefined) };
  // The engine adds properties after a spread slowly, one by one. So spreads come last, and the fields of both transports are
  // written twice.
  if (transport === "stdio") {
    const { args } = written;
    const envPassthrough = handedOn(written);
    const command = anchoredCommand(written, context, faultIn);
    const cwd = anchored("cwd", written, context, faultIn);
    return {
      name,
      definedIn,
      transport,
      command,
      args,
      env,
      envUnset: unset,
      envPassthrough,
      cwd,
      lazy,
      shared,
      limits,
      tools,
      envFile,
      ...rest,
    };
  }
  const { headers, headersFromEnv, bearerTokenEnv, oauth } = written;
  const url = checkedUrl(written, context, faultIn);
  return {
    name,
    definedIn,
    transport,
    url,
    headers,
    headersFromEnv,
    bearerTokenEnv,
    oauth,
    env,
    lazy,
    shared,
    limits,
    tools,
    envFile,
    ...rest,
  };
}

/** The limits that an entry sets, if any. */
export function limitsOf(written: Omit<WrittenServer, "transport">): ServerLimits | undefined {
  const {
    connectTimeoutMs,
    timeoutMs: callTimeoutMs,
    maxTotalMs,
    maxMessageBytes,
    maxTools,
    trustAnnotations,
    era,
  } = written;
  const isLimited =
    connectTimeoutMs !== undefined ||
    callTimeoutMs !== undefined ||
    maxTotalMs !== undefined ||
    maxMessageBytes !== undefined ||
    maxTools !== undefined ||
    trustAnnotations !== undefined ||
    era !== undefined;
  if (!isLimited) return undefined;
  return { connectTimeoutMs, callTimeoutMs, maxTotalMs, maxMessageBytes, maxTools, trustAnnotations, era };
}

/** Required variables are passed on as well: whoever sets them means them for the server. */
function handedOn({ envPassthrough, requires }: WrittenServer): readonly string[] | undefined {
  return requires?.env ? [...(envPassthrough ?? []), ...requires.env] : envPassthrough;
}

function splitVariables(env: WrittenServer["env"]) {
  if (!env) return {};
  const values = withoutNulls(env);
  const unset = values === env ? undefined : Object.keys(env).filter((name) => env[name] === null);
  return { values, unset };
}

function checkedUrl(
  { url = "" }: WrittenServer,
  { dialect, variables }: EntryContext,
  faultIn: FaultIn,
): string {
  const { urlSchemes = ["http", "https"] } = dialect;
  const scheme = schemeOf(url) ?? "";
  const isWhole = urlSchemes.includes(scheme) && url.startsWith("//", scheme.length + 1) && URL.canParse(url);
  if (isWhole || hasVariables(url, variables)) return url;
  const beginnings = urlSchemes.map((known) => `${known}://`).join(" or ");
  throw faultIn(["url"], `must be a complete URL that starts with ${beginnings}.`);
}

function anchoredCommand({ command = "" }: WrittenServer, context: EntryContext, faultIn: FaultIn): string {
  const { variables } = context;
  const { root, base: directory = "." } = boundsIn("command", context);
  if (root !== undefined && climbsOut(command, root, directory) && !hasVariables(command, variables)) {
    throw faultIn(["command"], `${BOUNDARY_FAULT}.`);
  }
  return anchorCommand(command, directory, variables);
}

/** A path with variables is checked when they are filled in. */
function anchored(field: "cwd" | "envFile", written: WrittenServer, context: EntryContext, faultIn: FaultIn) {
  if (written[field] === undefined) return undefined;
  const { variables } = context;
  const { root, base: directory = "." } = boundsIn(field, context);
  const path = anchorPath(written[field], directory, variables);
  const isOutside =
    root !== undefined && !hasVariables(path, variables) && (isBelowHome(path) || !isInside(path, root));
  if (isOutside) throw faultIn([field], `${BOUNDARY_FAULT}.`);
  return path;
}

/** Like `boundsOf`, except where the directory is given. */
function boundsIn(field: "command" | "cwd" | "envFile", { definedIn, directory, variables }: EntryContext) {
  const { base, root } = boundsOf(definedIn, field, variables);
  return { base: directory ?? base, root };
}

function checkLoaders({ env }: WrittenServer, { definedIn, platform }: EntryContext, faultIn: FaultIn): void {
  const loader = loaderOfProject(definedIn, env, platform);
  if (loader !== undefined) throw faultIn(["env", loader], `${LOADER_FAULT}.`);
}
