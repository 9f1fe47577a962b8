import {
  type AuthChallenge,
  type AuthPort,
  type CallOutcome,
  type CredentialedRequest,
  type ErrorCode,
  isMcpError,
  McpError,
  ownCredentials,
  type ResolvedRemoteServer,
  thrownMessage,
} from "@jackfield/mcp-core";
import { adviseOnAuthorization, excerpt, redactorOf, withOutcome } from "../errors/wording.ts";
import { type HeaderList, headerOf, type IncomingHeaders } from "./http-wire.ts";
import { isReservedHeader } from "./message-headers.ts";

/** How many of each header's latest values are redacted: a token may be renewed while a request with the last one is pending. */
const KEPT_VALUES = 8;

/** The credentials that were attached to a request. */
export interface Attached {
  readonly headers: HeaderList;
  /** How many challenges had been met by then. */
  readonly generation: number;
}

/** The credentials of one connection. Concurrent challenges are met by one login or refresh. */
export interface Credentials {
  /**
   * The credentials of a request; `undefined` if it needs none and does not have to wait. `wasRefused`: it has been sent before, and
   * refused. Rejects with the port's `McpError`, or `MCP_CONNECT_FAILED` for any other error.
   */
  attach(request: CredentialedRequest, wasRefused: boolean): Promise<Attached> | undefined;
  /** Whether a challenge has been met since, so that the request may be repeated with newer credentials at once. */
  isOutdated(attached: Attached): boolean;
  /**
   * Meets a challenge; `true`: the request may be repeated. Rejects with the port's `McpError`, or `MCP_AUTH_REQUIRED` for any other
   * error.
   */
  meetChallenge(challenge: AuthChallenge, attached: Attached): Promise<boolean>;
}

/** The credentials of one connection, which know what they attached. */
export interface ConnectionCredentials extends Credentials {
  /** The latest header values, each also without its scheme. */
  readonly secrets: readonly string[];
}

export interface CredentialsOptions {
  readonly server: ResolvedRemoteServer;
  readonly auth?: AuthPort | undefined;
  /** For whom the server is reached. */
  readonly principal?: string | undefined;
  /** Fires when the connection is closed: no login outlives it. */
  readonly signal: AbortSignal;
}

/** Credentials from the host's port, unless the entry has its own. */
export function createCredentials({
  server,
  auth,
  principal,
  signal,
}: CredentialsOptions): ConnectionCredentials | undefined {
  // Configured credentials take precedence over stored ones.
  if (!auth || ownCredentials(server) !== undefined) return undefined;
  let generation = 0;
  let meeting: Promise<boolean> | undefined;
  /**
   * By header, so that one which changes with every request does not displace the others. The latest first, so that an unchanged value
   * costs one comparison.
   */
  const values = new Map<string, readonly string[]>();

  const attachable = (headers: { readonly [name: string]: unknown }) => {
    const list = listOf(headers);
    for (let index = 1; index < list.length; index += 2) {
      keep(list[index - 1] as string, list[index] as string);
    }
    return list;
  };
  const keep = (name: string, value: string) => {
    const known = values.get(name) ?? [];
    if (known[0] === value) return;
    const others = known.filter((other) => other !== value);
    values.set(name, [value, ...others].slice(0, KEPT_VALUES));
  };
  const secrets = () =>
    [...values.values()].flat().flatMap((value) => [value, value.slice(value.indexOf(" ") + 1)]);
  /** No thrown value may look like a lost connection: the session goes on. */
  const portError = (
    thrown: unknown,
    outcome: CallOutcome,
    [code, fact, advice]: readonly [ErrorCode, fact: string, advice: string],
  ): McpError => {
    if (isMcpError(thrown)) return withOutcome(thrown, outcome);
    // The port only gave up because the connection was closed, which has its own error.
    if (signal.aborted) throw thrown;
    const redactor = redactorOf(server, secrets());
    const message = `${fact}: ${excerpt(thrownMessage(thrown), redactor)}. ${advice}`;
    const details = { server: server.name, phase: "handshake", outcome } as const;
    return new McpError(code, message, { ...details, cause: redactor.hideIn(thrown) });
  };
  const meet = async (challenge: AuthChallenge) => {
    const verdict = await askPort(challenge);
    generation += 1;
    return verdict === "retry";
  };
  const askPort = async (challenge: AuthChallenge) => {
    try {
      return await auth.onChallenge(server, challenge, { principal, signal });
    } catch (error) {
      const fact = `The login to server "${server.name}" failed`;
      throw portError(error, "rejected", ["MCP_AUTH_REQUIRED", fact, adviseOnAuthorization(server)]);
    }
  };
  // While a challenge is being met, the stored credentials are not newer yet.
  const isOutdated = (attached: Attached) => attached.generation < generation && !meeting;
  return {
    get secrets() {
      return secrets();
    },
    isOutdated,
    async attach(request, wasRefused) {
      const attachedAt = generation;
      try {
        return {
          headers: attachable(await auth.headers(server, { principal, signal, request })),
          generation: attachedAt,
        };
      } catch (error) {
        const fact = `The credentials for server "${server.name}" could not be read`;
        const advice = "Check that the place where they are stored is available.";
        const outcome = wasRefused ? "rejected" : "not-sent";
        throw portError(error, outcome, ["MCP_CONNECT_FAILED", fact, advice]);
      }
    },
    async meetChallenge(challenge, attached) {
      // Another request has met the challenge meanwhile: the refused credentials are outdated.
      if (isOutdated(attached)) return true;
      meeting ??= meet(challenge).finally(() => {
        meeting = undefined;
      });
      return meeting;
    },
  };
}

/** The challenge of an answer, if it has one. A 403 without a challenge is final: no credential would change it (RFC 6750, section 3.1). */
export function readChallenge(status: number, headers: IncomingHeaders): AuthChallenge | undefined {
  const wwwAuthenticate = headerOf(headers, "www-authenticate");
  if (status === 401) return { status, wwwAuthenticate, dpopNonce: wantedNonce(headers, wwwAuthenticate) };
  if (status === 403 && wwwAuthenticate) return { status, wwwAuthenticate };
  return undefined;
}

function wantedNonce(headers: IncomingHeaders, wwwAuthenticate = ""): string | undefined {
  return /\berror="?use_dpop_nonce\b/i.test(wwwAuthenticate) ? headerOf(headers, "dpop-nonce") : undefined;
}

/** A host in plain JavaScript may return a `Headers` object or a `Map`, whose headers are not its properties. */
function listOf(headers: { readonly [name: string]: unknown } | Iterable<[string, unknown]>): string[] {
  const entries = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  return entries.flatMap(([name, value]) => {
    if (isReservedHeader(name)) return [];
    return [value].flat().flatMap((single) => {
      const text = textOf(name, single);
      return text === undefined ? [] : [name.toLowerCase(), text];
    });
  });
}

/**
 * The value as text; `undefined` if it is left out. A host in plain JavaScript may return other values than strings.
 *
 * @throws TypeError for an object, a function or a symbol
 */
function textOf(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "object" || typeof value === "function" || typeof value === "symbol")
    throw new TypeError(`the header "${name}" has no text as its value`);
  return String(value);
}
