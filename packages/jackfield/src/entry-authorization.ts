import type { EntrySettings } from "@jackfield/mcp-auth";
import { McpError, type OAuthSettings, type ResolveServer, type ServerDefinition } from "@jackfield/mcp-core";

/** Settings that may refer to variables, as the entry's headers may. */
const REFERRING = ["clientId", "clientSecret", "redirectUri", "resource"] as const;

/** Where it could be the output of a command. */
const COMMAND = /^!|\$\(/;

/** Where a value could refer to something, in the dialect of whichever host. */
const MAY_REFER = /[${}!]/;

/**
 * What an entry says about logins, its references filled in by the rules that hold for its headers. A project's entry is taken as it
 * is written: no variable of the user's reaches what a repository names.
 *
 * @throws McpError as the resolver does; `MCP_CONFIG_INVALID` for a project's entry that refers to a variable, and for a value that is left out,
 * because its command has failed or printed nothing
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
  if (scope === "project") throw unfilled(definition.name, Object.keys(referring));
  const { headersFromEnv: _, bearerTokenEnv: __, ...entry } = definition;
  const resolved = await resolve({ ...entry, headers: referring }, { signal });
  const filledIn = resolved.transport === definition.transport ? resolved.headers : {};
  // What is written is no value, and must not be sent in place of one that was left out.
  const missing = Object.keys(referring).filter((member) => !Object.hasOwn(filledIn, member));
  const failed = missing.filter((member) => COMMAND.test(referring[member] ?? ""));
  if (failed.length > 0) throw withoutOutput(definition.name, failed);
  const unsaid = Object.fromEntries(missing.map((member) => [member, undefined]));
  return { settings: { ...settings, ...unsaid, ...filledIn }, scope };
}

function referringMembers(settings: OAuthSettings): { [member: string]: string } {
  const written = REFERRING.map((member) => [member, settings[member]] as const);
  return Object.fromEntries(
    written.filter((pair): pair is [(typeof pair)[0], string] => MAY_REFER.test(pair[1] ?? "")),
  );
}

function unfilled(server: string, members: readonly string[]): McpError {
  const message = `Server ${JSON.stringify(server)}: "oauth" of an entry that came with a project refers to variables (${members.join(", ")}), which are not filled in there. Put the entry into your own configuration.`;
  return new McpError("MCP_CONFIG_INVALID", message, { server, phase: "resolve" });
}

function withoutOutput(server: string, members: readonly string[]): McpError {
  const message = `Server ${JSON.stringify(server)}: "oauth" of its entry has no value for ${members.join(", ")}: the command for it failed or printed nothing.`;
  return new McpError("MCP_CONFIG_INVALID", message, { server, phase: "resolve" });
}
