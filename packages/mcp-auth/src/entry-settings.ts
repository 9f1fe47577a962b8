import { McpError, type OAuthSettings, type ResolvedRemoteServer } from "@jackfield/mcp-core";
import type { CallbackServerOptions } from "./callback/callback-server.ts";
import { isPort } from "./callback/port.ts";

/** The settings of one entry as a login uses them. */
export interface AuthorizationSettings {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** Why the secret is not available. */
  readonly clientSecretError?: Error | undefined;
  readonly scopes: readonly string[];
  /** Where the authorization response is received, as far as the entry says. */
  readonly callback: Pick<CallbackServerOptions, "host" | "port" | "path">;
  readonly resource?: string | undefined;
}

/** The client and the resource that an entry names. */
export type NamedClient = Pick<AuthorizationSettings, "clientId" | "resource">;

const ENDPOINT = /(url|uri|endpoint|issuer)$/i;

/**
 * Reads an entry's settings; `undefined` if it disables logins.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a `redirectUri` that does not lead to this machine, and for an invalid port
 */
export function readEntrySettings(
  { name: server }: ResolvedRemoteServer,
  settings: OAuthSettings | false = {},
): AuthorizationSettings | undefined {
  const named = readNamedClient(settings);
  if (settings === false || named === undefined) return undefined;
  const { scopes = [], callbackPort: port } = settings;
  const callback = readRedirectUri(server, settings) ?? (port === undefined ? {} : { port });
  if (callback.port !== undefined && !isPort(callback.port)) {
    const member = settings.redirectUri === undefined ? "callbackPort" : "redirectUri";
    const message = `Server ${JSON.stringify(server)}: the port of "${member}" must be a whole number from 0 to 65535.`;
    throw new McpError("MCP_CONFIG_INVALID", message, { server, phase: "config" });
  }
  return { ...named, clientSecret: settings.clientSecret || undefined, scopes, callback };
}

/**
 * The client that an entry names, even if its other settings are invalid; `undefined` if it disables logins. An empty client id counts
 * as missing, because a variable with an empty default gives one.
 */
export function readNamedClient(settings: OAuthSettings | false = {}): NamedClient | undefined {
  if (settings === false || settings.enabled === false) return undefined;
  return { clientId: settings.clientId || undefined, resource: settings.resource };
}

/**
 * The members with which an entry tries to set endpoints. They are always ignored: endpoints are discovered, so no entry can redirect
 * a code, a secret or a refresh token (threat T35).
 */
export function namedEndpoints(settings: OAuthSettings | false = {}): readonly string[] {
  if (settings === false) return [];
  return Object.keys(settings).filter((member) => member !== "redirectUri" && ENDPOINT.test(member));
}

/** Accepts only a redirect URI to this machine, so that the author of an entry cannot have the code sent elsewhere. */
function readRedirectUri(server: string, { redirectUri }: OAuthSettings) {
  if (redirectUri === undefined) return undefined;
  const [, host, port, path] =
    /^http:\/\/(127\.0\.0\.1|localhost):(\d{1,5})(\/[^?#]*)$/.exec(redirectUri) ?? [];
  if (host === undefined) {
    const message = `Server ${JSON.stringify(server)}: "redirectUri" must be http://127.0.0.1:PORT/PATH or http://localhost:PORT/PATH; the response to a login arrives there.`;
    throw new McpError("MCP_CONFIG_INVALID", message, { server, phase: "config" });
  }
  return { host: host as "127.0.0.1" | "localhost", port: Number(port), path };
}
