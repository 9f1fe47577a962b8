import { McpError, type OAuthSettings, type ResolvedRemoteServer } from "@jackfield/mcp-core";
import type { CallbackServerOptions } from "./callback/callback-server.ts";
import { isPort } from "./callback/port.ts";

/** The settings of one entry as a login uses them. */
export interface AuthorizationSettings {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** Why the secret cannot be had. */
  readonly clientSecretError?: Error | undefined;
  readonly scopes: readonly string[];
  /** Where the answer is awaited, as far as the entry says. */
  readonly callback: Pick<CallbackServerOptions, "host" | "port" | "path">;
  readonly resource?: string | undefined;
}

/** As whom an entry would log in, and for what. */
export type NamedClient = Pick<AuthorizationSettings, "clientId" | "resource">;

const ENDPOINT = /(url|uri|endpoint|issuer)$/i;

/**
 * Reads what an entry says; `undefined` if it wants no login.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a `redirectUri` that does not lead to this machine, and for what is no port
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
 * The client that an entry names, whether or not the rest of it can be used; `undefined` if it wants no login. What is empty is not
 * said: a variable with an empty default reads so.
 */
export function readNamedClient(settings: OAuthSettings | false = {}): NamedClient | undefined {
  if (settings === false || settings.enabled === false) return undefined;
  return { clientId: settings.clientId || undefined, resource: settings.resource };
}

/**
 * The members by which an entry would name endpoints. They are not used, whoever wrote them: endpoints are always discovered, so no
 * entry can have a code, a secret or a refresh token sent elsewhere (threat T35).
 */
export function namedEndpoints(settings: OAuthSettings | false = {}): readonly string[] {
  if (settings === false) return [];
  return Object.keys(settings).filter((member) => member !== "redirectUri" && ENDPOINT.test(member));
}

/** The code comes back to this machine or not at all: whoever wrote the entry must not be able to have it sent to himself. */
function readRedirectUri(server: string, { redirectUri }: OAuthSettings) {
  if (redirectUri === undefined) return undefined;
  const [, host, port, path] =
    /^http:\/\/(127\.0\.0\.1|localhost):(\d{1,5})(\/[^?#]*)$/.exec(redirectUri) ?? [];
  if (host === undefined) {
    const message = `Server ${JSON.stringify(server)}: "redirectUri" must be http://127.0.0.1:PORT/PATH or http://localhost:PORT/PATH; on this address the answer of a login is awaited.`;
    throw new McpError("MCP_CONFIG_INVALID", message, { server, phase: "config" });
  }
  return { host: host as "127.0.0.1" | "localhost", port: Number(port), path };
}
