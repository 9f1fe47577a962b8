import type { ServerDefinition, ServerLimits } from "@jackfield/mcp-core";
import { anchorCommand, anchorPath, isBelowHome } from "../anchored-path.ts";
import { createMap } from "../documents/json-value.ts";
import { schemeOf } from "../http-syntax.ts";
import { isLoaderVariable, LOADER_FAULT } from "../loader-variables.ts";
import { BOUNDARY_FAULT, climbsOut, isInside, projectRoot } from "../project-boundary.ts";
import { quote } from "../server-name.ts";
import { hasVariables } from "../variables.ts";
import type { FaultAt } from "./entry-fields.ts";
import type { EntryPlace } from "./entry-place.ts";
import type { WrittenServer } from "./written-server.ts";

/**
 * Makes a definition of what is written: relative paths become absolute, and what a project's entry may not do refuses it.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a URL that cannot be one, and for such an entry of a project.
 */
export function defineServer(written: WrittenServer, place: EntryPlace, faultAt: FaultAt): ServerDefinition {
  const { transport, enabled, lazy, shared, tools, extra } = written;
  const { name, definedIn } = place;
  checkLoaders(written, place, faultAt);
  const common = {
    name,
    definedIn,
    ...(enabled ? undefined : { enabled }),
    lazy,
    shared,
    limits: limitsOf(written),
    tools,
    envFile: anchored("envFile", written, place, faultAt),
    ...(extra ? { extra } : undefined),
  };
  const { values: env, unset } = splitVariables(written.env);
  if (transport === "stdio") {
    const { args } = written;
    const envPassthrough = handedOn(written);
    const command = anchoredCommand(written, place, faultAt);
    const cwd = anchored("cwd", written, place, faultAt);
    return { ...common, transport, command, args, env, envUnset: unset, envPassthrough, cwd };
  }
  const { headers, headersFromEnv, bearerTokenEnv, oauth } = written;
  const url = checkedUrl(written, place, faultAt);
  return { ...common, transport, url, headers, headersFromEnv, bearerTokenEnv, oauth, env };
}

/** What an entry limits, if anything. */
export function limitsOf(written: Omit<WrittenServer, "transport">): ServerLimits | undefined {
  const {
    connectTimeoutMs,
    timeoutMs: callTimeoutMs,
    maxTotalMs,
    maxMessageBytes,
    trustAnnotations,
  } = written;
  const isLimited =
    connectTimeoutMs !== undefined ||
    callTimeoutMs !== undefined ||
    maxTotalMs !== undefined ||
    maxMessageBytes !== undefined ||
    trustAnnotations !== undefined;
  if (!isLimited) return undefined;
  return { connectTimeoutMs, callTimeoutMs, maxTotalMs, maxMessageBytes, trustAnnotations };
}

/** Variables that the server needs are handed on as well: whoever sets them has given them. */
function handedOn({ envPassthrough, requires }: WrittenServer): readonly string[] | undefined {
  return requires?.env ? [...(envPassthrough ?? []), ...requires.env] : envPassthrough;
}

function splitVariables(env: WrittenServer["env"]) {
  if (!env) return {};
  if (!Object.values(env).includes(null)) return { values: env as { readonly [name: string]: string } };
  const values = createMap<string>();
  const unset: string[] = [];
  for (const name of Object.keys(env)) {
    const value = env[name];
    if (typeof value === "string") values[name] = value;
    else unset.push(name);
  }
  return { values, unset: unset.length === 0 ? undefined : unset };
}

function checkedUrl(
  { url = "" }: WrittenServer,
  { dialect, variables }: EntryPlace,
  faultAt: FaultAt,
): string {
  const { urlSchemes = ["http", "https"] } = dialect;
  const scheme = schemeOf(url) ?? "";
  const isWhole = urlSchemes.includes(scheme) && url.startsWith("//", scheme.length + 1) && URL.canParse(url);
  if (isWhole || hasVariables(url, variables)) return url;
  const beginnings = urlSchemes.map((known) => `${known}://`).join(" or ");
  const [field = "url"] = [dialect.fields.url ?? "url"].flat();
  throw faultAt([field], `${quote(field)} must be a whole URL that begins with ${beginnings}.`);
}

function anchoredCommand({ command = "" }: WrittenServer, place: EntryPlace, faultAt: FaultAt): string {
  const { definedIn, directory, variables } = place;
  const root = projectRoot(definedIn);
  if (root !== undefined && !hasVariables(command, variables) && climbsOut(command, root)) {
    throw faultAt(["command"], `"command" ${BOUNDARY_FAULT}.`);
  }
  return anchorCommand(command, directory, variables);
}

/** A path with variables is checked when they are filled in. */
function anchored(field: "cwd" | "envFile", written: WrittenServer, place: EntryPlace, faultAt: FaultAt) {
  const { definedIn, directory, variables } = place;
  if (written[field] === undefined) return undefined;
  const path = anchorPath(written[field], directory, variables);
  const root = projectRoot(definedIn);
  const isOutside =
    root !== undefined && !hasVariables(path, variables) && (isBelowHome(path) || !isInside(path, root));
  if (isOutside) throw faultAt([field], `${quote(field)} ${BOUNDARY_FAULT}.`);
  return path;
}

function checkLoaders({ env = {} }: WrittenServer, place: EntryPlace, faultAt: FaultAt): void {
  if (place.definedIn.scope !== "project") return;
  const loader = Object.keys(env).find((name) => isLoaderVariable(name, place.platform));
  if (loader !== undefined) throw faultAt(["env", loader], `${quote(loader)} in "env" ${LOADER_FAULT}.`);
}
