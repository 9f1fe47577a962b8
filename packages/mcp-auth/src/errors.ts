import {
  type AuthChallenge,
  isMcpError,
  McpError,
  type McpErrorDetails,
  Redactor,
  type ResolvedServer,
  thrownMessage,
} from "@jackfield/mcp-core";
import type { StoredOAuthClientInformation } from "@modelcontextprotocol/client";
import type { WatchedAnswer } from "./flow/answers.ts";
import type { Sdk } from "./sdk.ts";
import type { StoredCredential } from "./vault/token-vault.ts";

/** Statuses of a busy server, which say nothing about the request. */
const BUSY: ReadonlySet<number> = new Set([408, 425, 429]);

/** Error codes for the authorization server's own trouble, not for the request (RFC 6749, section 4.1.2.1). */
const OWN_TROUBLE: ReadonlySet<string> = new Set(["temporarily_unavailable", "server_error"]);

/** Whether a status says that the server is temporarily busy or down. */
export function isOutage(status: number): boolean {
  return status >= 500 || BUSY.has(status);
}

/** Whether an OAuth error code says so, whatever its HTTP status. */
export function isOwnTrouble(code: string): boolean {
  return OWN_TROUBLE.has(code);
}

/**
 * Whether the failure to meet a challenge is temporary, so that it says nothing about the values sent. `retryable` alone is not enough:
 * a server that compresses its answers or protects its metadata keeps doing so. `server-values.ts` of mcp-manager applies the same rule to
 * any `AuthPort`, without loading this package.
 */
function isPassing({ code, httpStatus, retryable }: McpError): boolean {
  if (httpStatus !== undefined) return retryable && isOutage(httpStatus);
  return code === "MCP_CONNECT_FAILED" || code === "MCP_CONNECT_TIMEOUT";
}

/** The error of a temporary failure: it is retryable, and an existing login stays valid. */
export function notJustNow(server: string, reason: string, details: McpErrorDetails): McpError {
  const message = `Server ${JSON.stringify(server)}: ${reason}`;
  const common = { server, phase: "handshake", outcome: "rejected" } as const;
  return new McpError("MCP_CONNECT_FAILED", message, { ...common, ...details });
}

/** The step in which a login or a refresh failed. */
export interface LoginStep {
  /** The server's name as configured. */
  readonly server: string;
  readonly doing: "discovery" | "registration" | "authorization request" | "token request";
  /** The URL that was asked. Errors omit its query. */
  readonly endpoint: string;
  /** Secrets that were sent. An error answer may repeat them, so they are redacted. Default: none. */
  readonly secrets?: readonly string[] | undefined;
  /**
   * The answer, if the step can be repeated without a person; an outage then differs from a refusal. Default: unknown, and any failure
   * ends the login, so that no person is asked again and again.
   */
  readonly answer?: WatchedAnswer | undefined;
}

/** Longer texts from servers are cut. */
const LONGEST_QUOTE = 300;

/** The advice when no client can be registered. */
export const ADVICE_ON_CLIENT = `Ask its operator for a client id, and put it into the entry's "oauth".`;

/** A word that is safe in a command that a person copies into a shell. */
const PLAIN_WORD = /^[\w@][\w@.:/-]*$/;

/** The default of `OAuthOptions.loginCommand`. */
export const loginByName = (name: string): string => `jackfield login ${name}`;

/** Tells how to log in to a server by hand. Words that are unsafe in a shell are left out. */
export function adviseLogin(
  loginCommand: (name: string) => string,
  server: string,
  scopes: readonly string[] = [],
): string {
  const command = loginCommand(PLAIN_WORD.test(server) ? server : "NAME");
  const isPlain = scopes.length > 0 && scopes.every((scope) => PLAIN_WORD.test(scope));
  return `Log in with: ${command}${isPlain ? ` --scope "${scopes.join(" ")}"` : ""}`;
}

/** The error of a server that requires a login, and of a failed login. */
export function authRequired(server: string, reason: string, details: McpErrorDetails = {}): McpError {
  const message = `Server ${JSON.stringify(server)}: ${reason}`;
  return new McpError("MCP_AUTH_REQUIRED", message, {
    server,
    phase: "handshake",
    outcome: "rejected",
    ...details,
  });
}

/** How the SDK's message begins for an answer that is not an OAuth error. The answer follows, and may repeat secrets. */
const NO_OAUTH_ERROR = /^(?:HTTP (\d{3}): )?Invalid OAuth error response: /;

/** Turns an error of the SDK or the network into one that a person who logs in can act on. */
export function loginError(sdk: Sdk, thrown: unknown, step: LoginStep): McpError {
  const { server, secrets } = step;
  const redactor = new Redactor(secrets);
  if (isMcpError(thrown)) {
    const shown = redactor.hideIn(thrown);
    if (shown.server !== undefined) return shown;
    const { code, message, ...details } = shown.toJSON();
    const text = `Server ${JSON.stringify(server)}: ${message}`;
    return new McpError(code, text, {
      ...details,
      phase: details.phase ?? "handshake",
      server,
      cause: shown,
    });
  }
  const cause = harmlessCause(sdk, thrown, redactor);
  const reason = describe(sdk, thrown, step, redactor);
  const { status, retryAfterMs } = step.answer ?? {};
  if (!isTrouble(sdk, thrown, status)) return authRequired(server, reason, { cause });
  // Any other status, such as the 400 with which some servers report an outage, would be taken for a refusal.
  const httpStatus = status !== undefined && isOutage(status) ? status : undefined;
  return notJustNow(server, `${reason} Try again later.`, { httpStatus, retryAfterMs, cause });
}

/** Whether the error only says that the authorization server is busy or down. */
function isTrouble(sdk: Sdk, thrown: unknown, status: number | undefined): boolean {
  if (status === undefined) return false;
  if (isOutage(status)) return true;
  // The SDK gives this code to answers that are not OAuth errors as well.
  return (
    thrown instanceof sdk.OAuthError && isOwnTrouble(thrown.code) && !NO_OAUTH_ERROR.test(thrown.message)
  );
}

/** What was thrown, without secrets. An OAuth error stays one. */
function harmlessCause(sdk: Sdk, thrown: unknown, redactor: Redactor): unknown {
  if (thrown instanceof sdk.OAuthError)
    return new sdk.OAuthError(redactor.hide(thrown.code), wordsOf(thrown.message, redactor));
  // A parser quotes the text that it could not read, and a page that answers a registration may repeat anything.
  const isPage = thrown instanceof sdk.RegistrationRejectedError && wordsOfBody(thrown.body) === undefined;
  if (isPage || isUnreadable(thrown)) return undefined;
  return redactor.hideIn(thrown);
}

/** An authorization server's error text, without secrets. */
function wordsOf(message: string, redactor: Redactor): string {
  const [isOther, status] = NO_OAUTH_ERROR.exec(message) ?? [];
  if (isOther === undefined) return redactor.hide(message);
  return status === undefined ? "not an OAuth error" : `HTTP ${status}, not an OAuth error`;
}

/** The text of a body that is an OAuth error (RFC 7591, section 3.2.2), else `undefined`. */
function wordsOfBody(body = ""): string | undefined {
  let read: unknown;
  try {
    read = JSON.parse(body);
  } catch {
    return undefined;
  }
  const { error, error_description } = (read ?? {}) as { readonly [member: string]: unknown };
  if (typeof error !== "string") return undefined;
  return typeof error_description === "string" ? `${error}: ${error_description}` : error;
}

function describe(sdk: Sdk, thrown: unknown, { doing, endpoint }: LoginStep, redactor: Redactor): string {
  const asked = withoutQuery(endpoint);
  const quoteRedacted = (text: string) => quote(redactor.hide(text));
  if (thrown instanceof sdk.RegistrationRejectedError) {
    return `its authorization server did not register a client: ${asked} answered HTTP ${thrown.status} (${quoteRedacted(wordsOfBody(thrown.body) ?? "not an OAuth error")}). ${ADVICE_ON_CLIENT}`;
  }
  // Whoever sent the browser here may have written the issuer that was received, so it is not quoted.
  if (thrown instanceof sdk.IssuerMismatchError)
    return `the answer did not come from the expected authorization server (${quote(`${thrown.expected}`)}), so it was not used.`;
  if (thrown instanceof sdk.InsecureTokenEndpointError) {
    return "its authorization server's token endpoint does not use TLS; nothing was sent.";
  }
  if (thrown instanceof sdk.OAuthError) {
    return `its authorization server refused the ${doing}: ${quoteRedacted(thrown.code)} (${quote(wordsOf(thrown.message, redactor))}).`;
  }
  if (isUnreadable(thrown)) {
    const answer = doing === "token request" ? "an invalid token answer" : "something else than a client";
    return `${asked} answered the ${doing} with ${answer}.`;
  }
  return `the ${doing} at ${asked} failed: ${quoteRedacted(thrownMessage(thrown))}`;
}

/** Whether the answer was not JSON, or JSON that lacks required members. */
function isUnreadable(thrown: unknown): boolean {
  return thrown instanceof SyntaxError || (thrown instanceof Error && thrown.name === "ZodError");
}

/** The source of a pattern that only errors need: its set of characters takes long to build. */
const UNSEEN = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+`;

/** Makes untrusted text safe for a terminal: one line, cut, without control characters. */
export function quote(text: string): string {
  const line = text.replace(new RegExp(UNSEEN, "gu"), " ").replace(/\s+/g, " ").trim();
  return line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line;
}

function withoutQuery(endpoint: string): string {
  const url = URL.parse(endpoint);
  if (!url) return "the endpoint";
  const shown = `${url.origin}${url.pathname}`;
  // As advertised: the slash that parsing adds could make it another issuer.
  return quote(shown === `${endpoint}/` ? endpoint : shown);
}

/** The secrets of a credential. */
export function secretsOf({
  tokens,
  client,
}: Pick<StoredCredential, "tokens" | "client">): readonly string[] {
  const { access_token, refresh_token, id_token } = tokens;
  return [access_token, refresh_token ?? "", id_token ?? "", ...secretsOfClient(client)];
}

/** The secret of a client, verbatim and as the Basic scheme spells it (RFC 7617). */
export function secretsOfClient({
  client_id,
  client_secret,
}: StoredOAuthClientInformation): readonly string[] {
  if (!client_secret) return [];
  return [client_secret, Buffer.from(`${client_id}:${client_secret}`).toString("base64")];
}

/**
 * The error of a challenge that was not met.
 *
 * Its phase is always `handshake`. Callers repeat a request if its MCP server is busy; the phase tells them that the error's status and
 * wait are not that server's.
 *
 * Its status is the one with which the server refused the request: callers that can renew other values of an entry depend on it. A
 * temporary or aborted failure says nothing about what was sent, so it keeps its own status.
 *
 * Its outcome is `rejected`, unless it has another one: the request was refused before it was processed.
 */
export function challengeError(
  thrown: unknown,
  { name }: ResolvedServer,
  { status }: AuthChallenge,
): McpError {
  const error = isMcpError(thrown) ? thrown : unexpected(name, thrown);
  const httpStatus = isUndecided(error) ? error.httpStatus : status;
  const { cause, outcome = "rejected" } = error;
  if (error.phase === "handshake" && error.httpStatus === httpStatus && error.outcome === outcome)
    return error;
  return new McpError(error.code, error.message, {
    ...error.toJSON(),
    phase: "handshake",
    httpStatus,
    outcome,
    cause,
  });
}

/** A host's own vault or `settingsOf` may throw anything, which a transport would take for a lost session. */
function unexpected(server: string, cause: unknown): McpError {
  return notJustNow(server, `its login cannot be used (${quote(thrownMessage(cause))}).`, { cause });
}

function isUndecided(error: McpError): boolean {
  return isPassing(error) || error.code === "MCP_ABORTED" || error.code === "MCP_CLOSED";
}

/** The error of a login whose page was shown. It is not retryable, because a retry would show the person another page. */
export function withoutRetry(error: unknown): unknown {
  if (!isMcpError(error) || !error.retryable) return error;
  const details = { ...error.toJSON(), outcome: "rejected", cause: error } as const;
  return new McpError("MCP_AUTH_REQUIRED", `${error.message} Log in again.`, details);
}

/** The error of a login that the caller cancelled. */
export function givenUp(signal: AbortSignal): McpError {
  return new McpError("MCP_ABORTED", "The login was aborted.", { cause: signal.reason });
}
