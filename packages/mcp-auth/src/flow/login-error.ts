import { isMcpError, McpError, type McpErrorDetails, thrownMessage } from "@jackfield/mcp-core";
import type { Sdk } from "../sdk.ts";
import { isOutage, isOwnTrouble, notJustNow, type WatchedAnswer } from "./outage.ts";
import { hideSecrets } from "./secret-spelling.ts";

/** What was being done when a login or a refresh failed. */
export interface LoginStep {
  /** The server's name as configured. */
  readonly server: string;
  readonly doing: "discovery" | "registration" | "authorization request" | "token request";
  /** Whom was asked; its query is not shown. */
  readonly endpoint: string;
  /** What was sent: whoever refuses it may repeat it, and it is not quoted. Default: nothing. */
  readonly secrets?: readonly string[] | undefined;
  /**
   * What it answered, where the step can be made again without a person: an outage is told from a refusal then. Default: not known, and
   * whatever was answered ends the login, or somebody would be asked again and again.
   */
  readonly answer?: WatchedAnswer | undefined;
}

/** Longer texts of strangers are cut. */
const LONGEST_QUOTE = 300;

/** What helps where no client can be registered. */
export const ADVICE_ON_CLIENT = `Ask its operator for a client id, and put it into the entry's "oauth".`;

/** What may stand in a command that somebody copies: nothing in it means anything to a shell. */
const PLAIN_WORD = /^[\w@][\w@.:/-]*$/;

/** The default of `OAuthOptions.loginCommand`. */
export const loginByName = (name: string): string => `jackfield login ${name}`;

/** How to log in to a server by hand. Words that a shell could take for more than words are left out. */
export function adviseLogin(
  loginCommand: (name: string) => string,
  server: string,
  scopes: readonly string[] = [],
): string {
  const command = loginCommand(PLAIN_WORD.test(server) ? server : "NAME");
  const isPlain = scopes.length > 0 && scopes.every((scope) => PLAIN_WORD.test(scope));
  return `Log in with: ${command}${isPlain ? ` --scope "${scopes.join(" ")}"` : ""}`;
}

/** The error of a server that wants a login, and of one that did not come about. */
export function authRequired(server: string, fact: string, details: McpErrorDetails = {}): McpError {
  const message = `Server ${JSON.stringify(server)}: ${fact}`;
  return new McpError("MCP_AUTH_REQUIRED", message, {
    server,
    phase: "handshake",
    outcome: "rejected",
    ...details,
  });
}

/** The SDK's words for an answer that is no error of OAuth. The answer follows, and it may hold what was sent. */
const NO_OAUTH_ERROR = /^(?:HTTP (\d{3}): )?Invalid OAuth error response: /;

/** Whatever the SDK or the network threw, as what it means to somebody who wants to log in. */
export function loginError(sdk: Sdk, thrown: unknown, step: LoginStep): McpError {
  const { server, secrets = [] } = step;
  if (isMcpError(thrown)) {
    const { code, message, ...details } = thrown.toJSON();
    const shown = hideSecrets(message, secrets);
    const isClean = shown === message;
    if (thrown.server !== undefined && isClean) return thrown;
    const told = thrown.server === undefined ? `Server ${JSON.stringify(server)}: ${shown}` : shown;
    const cause = isClean ? thrown : undefined;
    return new McpError(code, told, {
      ...details,
      phase: details.phase ?? "handshake",
      server: thrown.server ?? server,
      cause,
    });
  }
  const cause = harmlessCause(sdk, thrown, secrets);
  const fact = describe(sdk, thrown, step);
  const { status, retryAfterMs } = step.answer ?? {};
  if (!isTrouble(sdk, thrown, status)) return authRequired(server, fact, { cause });
  // A status that means something else, as of a server that tells of its trouble with 400, would be taken for a refusal.
  const httpStatus = status !== undefined && isOutage(status) ? status : undefined;
  return notJustNow(server, `${fact} Try again later.`, { httpStatus, retryAfterMs, cause });
}

/** Whether it says nothing but that the other side is busy or down. */
function isTrouble(sdk: Sdk, thrown: unknown, status: number | undefined): boolean {
  if (status === undefined) return false;
  if (isOutage(status)) return true;
  // The SDK gives every answer that is no error of OAuth this code as well.
  return (
    thrown instanceof sdk.OAuthError && isOwnTrouble(thrown.code) && !NO_OAUTH_ERROR.test(thrown.message)
  );
}

/** What was thrown, if it repeats nothing of what was sent; its kind in any case, where OAuth has a name for it. */
function harmlessCause(sdk: Sdk, thrown: unknown, secrets: readonly string[]): unknown {
  if (thrown instanceof sdk.OAuthError) {
    return new sdk.OAuthError(hideSecrets(thrown.code, secrets), wordsOf(thrown.message, secrets));
  }
  // A parser quotes what it could not read; a page that answers a registration may repeat anything.
  const isPage = thrown instanceof sdk.RegistrationRejectedError && wordsOfBody(thrown.body) === undefined;
  if (isPage || isUnreadable(thrown)) return undefined;
  const stack = thrown instanceof Error ? thrown.stack : "";
  const text = `${thrownMessage(thrown)}\n${stack}`;
  return hideSecrets(text, secrets) === text ? thrown : undefined;
}

/** What an authorization server said of an error, without what it was sent. */
function wordsOf(message: string, secrets: readonly string[]): string {
  const [isOther, status] = NO_OAUTH_ERROR.exec(message) ?? [];
  if (isOther === undefined) return hideSecrets(message, secrets);
  return status === undefined ? "an answer that is no OAuth error" : `HTTP ${status}, and no OAuth error`;
}

/** What a body says as an error of OAuth (RFC 7591, section 3.2.2), if it is one. */
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

function describe(sdk: Sdk, thrown: unknown, { doing, endpoint, secrets = [] }: LoginStep): string {
  const asked = withoutQuery(endpoint);
  const told = (text: string) => quote(hideSecrets(text, secrets));
  if (thrown instanceof sdk.RegistrationRejectedError) {
    return `its authorization server registered no client: ${asked} answered HTTP ${thrown.status} (${told(wordsOfBody(thrown.body) ?? "no OAuth error")}). ${ADVICE_ON_CLIENT}`;
  }
  // What was received comes from whoever sent it, so it is not repeated.
  if (thrown instanceof sdk.IssuerMismatchError) {
    return thrown.kind === "metadata"
      ? `the metadata of ${asked} belongs to another issuer, so it is not used.`
      : `the answer did not come from the authorization server that was asked (${quote(`${thrown.expected}`)}), so it is not used.`;
  }
  if (thrown instanceof sdk.InsecureTokenEndpointError) {
    return "its authorization server wants codes and tokens to be sent without TLS; nothing was sent.";
  }
  if (thrown instanceof sdk.OAuthError) {
    return `its authorization server refused the ${doing}: ${told(thrown.code)} (${quote(wordsOf(thrown.message, secrets))}).`;
  }
  if (isUnreadable(thrown)) {
    const missing =
      doing === "token request" ? "without an access token that can be used" : "with what is no metadata";
    return `${asked} answered the ${doing} ${missing}.`;
  }
  return `the ${doing} at ${asked} failed: ${told(thrownMessage(thrown))}`;
}

/** No JSON, or JSON that lacks what the specification demands. */
function isUnreadable(thrown: unknown): boolean {
  return thrown instanceof SyntaxError || (thrown instanceof Error && thrown.name === "ZodError");
}

/** A stranger's words on one line, cut, and without what could disturb a terminal. */
export function quote(text: string): string {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  return line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line;
}

function withoutQuery(endpoint: string): string {
  const url = URL.parse(endpoint);
  return url ? quote(`${url.origin}${url.pathname}`) : "the endpoint";
}
