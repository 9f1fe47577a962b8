import type { EntrySettings } from "@jackfield/mcp-auth";
import {
  type DefinedIn,
  type HttpServerDefinition,
  isMcpError,
  McpError,
  type OAuthSettings,
  REFERRING_OAUTH_SETTINGS,
  type ResolveServer,
  type ServerDefinition,
  type SseServerDefinition,
  thrownMessage,
  toMcpError,
} from "@jackfield/mcp-core";

type RemoteDefinition = HttpServerDefinition | SseServerDefinition;

/** Syntax of a value that may be the output of a command. */
const COMMAND = /^!|\$\(/;

/** Characters of references, in the dialect of any host. */
const MAY_REFER = /[${}!]/;

/**
 * The authorization settings of an entry, with references filled in by the rules for its headers. A secret that cannot be resolved, for
 * example from a locked password manager, is returned as `clientSecretError`: a stored login works without it.
 *
 * @throws McpError as the resolver does; `MCP_CONFIG_INVALID` for a value whose command failed or printed nothing
 */
export async function entryAuthorization(
  definition: ServerDefinition,
  resolve: ResolveServer,
  signal: AbortSignal,
): Promise<EntrySettings> {
  if (definition.transport !== "http" && definition.transport !== "sse") return {};
  const { oauth: settings, definedIn } = definition;
  const { scope } = definedIn;
  const referring = settings ? referringMembers(settings) : {};
  if (!settings || Object.keys(referring).length === 0) return { settings, scope };
  const fill = (members: Members) => fillIn(members, definition, resolve, signal);
  const { clientSecret, ...named } = referring;
  const filledIn = await fill(named);
  if (clientSecret === undefined) return { settings: { ...settings, ...filledIn }, scope };
  try {
    return { settings: { ...settings, ...filledIn, ...(await fill({ clientSecret })) }, scope };
  } catch (error) {
    if (signal.aborted) throw error;
    return {
      settings: { ...settings, ...filledIn, clientSecret: undefined },
      clientSecretError: asSecretError(error, definition.name),
      scope,
    };
  }
}

/** The entries whose `oauth` was made into headers to fill it in. An approval is of the entry. */
const approvedAs = new WeakMap<ServerDefinition, ServerDefinition>();

/** The definition that has to be approved for this one to be resolved. */
export function approvedEntry(definition: ServerDefinition): ServerDefinition {
  return approvedAs.get(definition) ?? definition;
}

interface Members {
  readonly [member: string]: string;
}

/** The values of the members; `undefined` where the host omits them. */
async function fillIn(
  members: Members,
  definition: RemoteDefinition,
  resolve: ResolveServer,
  signal: AbortSignal,
): Promise<{ readonly [member: string]: string | undefined }> {
  if (Object.keys(members).length === 0) return {};
  const { headersFromEnv: _, bearerTokenEnv: __, makeHeaders: ___, ...entry } = definition;
  const definedIn = { ...entry.definedIn, parts: partsAsHeaders(members, entry.definedIn) };
  const asHeaders: RemoteDefinition = { ...entry, definedIn, headers: members };
  approvedAs.set(asHeaders, definition);
  const resolved = await resolve(asHeaders, { signal }).catch((error: unknown) =>
    Promise.reject(asErrorOfMembers(error, Object.keys(members))),
  );
  const filledIn = resolved.transport === definition.transport ? resolved.headers : {};
  // A member that was omitted must not be sent as its unresolved text.
  const missing = Object.keys(members).filter((member) => !Object.hasOwn(filledIn, member));
  const failed = missing.filter((member) => COMMAND.test(members[member] ?? ""));
  if (failed.length > 0) throw withoutOutput(definition.name, failed);
  return { ...Object.fromEntries(missing.map((member) => [member, undefined])), ...filledIn };
}

/** Copies the origin of each `oauth` member to the header of the same name: in a joined entry it decides where a command runs. */
function partsAsHeaders(members: Members, { parts }: DefinedIn): DefinedIn["parts"] {
  const all = { ...parts };
  for (const member of Object.keys(members)) {
    const part = all[`oauth.${member}`];
    if (part !== undefined) all[`headers.${member}`] = part;
  }
  return all;
}

/** Renames `headers.*` to `oauth.*` in an error: the members are resolved as headers, but the entry has them under "oauth". */
function asErrorOfMembers(error: unknown, members: readonly string[]): unknown {
  if (!isMcpError(error)) return error;
  const named = members.reduce(
    (text, member) => text.replaceAll(`"headers.${member}"`, `"oauth.${member}"`),
    error.message,
  );
  if (named === error.message) return error;
  return new McpError(error.code, named, { ...error.toJSON(), cause: error.cause });
}

/**
 * A custom resolver may throw anything; what is no `McpError` becomes `MCP_CONNECT_FAILED`, as when the server itself cannot be resolved.
 */
function asSecretError(error: unknown, server: string): McpError {
  const message = `Server ${JSON.stringify(server)}: "oauth.clientSecret" of its entry could not be filled in: ${thrownMessage(error)}`;
  return toMcpError(error, "MCP_CONNECT_FAILED", message, { server, phase: "resolve" });
}

function referringMembers(settings: OAuthSettings): Members {
  const written = REFERRING_OAUTH_SETTINGS.map((member) => [member, settings[member]] as const);
  return Object.fromEntries(
    written.filter(
      (pair): pair is [(typeof pair)[0], string] => typeof pair[1] === "string" && MAY_REFER.test(pair[1]),
    ),
  );
}

function withoutOutput(server: string, members: readonly string[]): McpError {
  const message = `Server ${JSON.stringify(server)}: "oauth" of its entry has no value for ${members.join(", ")}: the command for it failed or printed nothing.`;
  return new McpError("MCP_CONFIG_INVALID", message, { server, phase: "resolve" });
}
