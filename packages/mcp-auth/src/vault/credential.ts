import { isRecord } from "@jackfield/mcp-core";
import type { CredentialSummary, StoredCredential } from "./token-vault.ts";

/** The characters of a header's value (RFC 9110, section 5.5). */
const FITS_HEADER = /^[\t\x20-\x7e\x80-\xff]+$/;

/** Whether a header can carry an access token. */
export function fitsHeader(token: string): boolean {
  return FITS_HEADER.test(token);
}

/** Whether two credentials are the same grant: the same tokens, of the same issuer, for the same resource and client. */
export function isSameCredential(one: StoredCredential, other: StoredCredential): boolean {
  return (
    one.issuer === other.issuer &&
    one.resource === other.resource &&
    one.client.client_id === other.client.client_id &&
    one.tokens.access_token === other.tokens.access_token &&
    one.tokens.refresh_token === other.tokens.refresh_token
  );
}

/** Identifies the login of a credential. Without a `loginId`, the identifier changes with every renewal. */
export function loginOf({ loginId, tokens }: StoredCredential): string {
  return loginId ?? tokens.access_token;
}

/** What is left of a credential whose refresh token was refused: where it came from. Its access token is not sent any more. */
export function spentCredential(credential: StoredCredential): StoredCredential {
  const { refresh_token: _, ...tokens } = credential.tokens;
  return { ...credential, tokens, isSpent: true };
}

/** The parts of a credential that may be shown. */
export function summarizeCredential(credential: StoredCredential): CredentialSummary {
  const { serverUrl, issuer, resource, client, scopes, obtainedAt, expiresAt, tokens } = credential;
  const isRefreshable = tokens.refresh_token !== undefined;
  return {
    serverUrl,
    issuer,
    resource,
    clientId: client.client_id,
    scopes,
    obtainedAt,
    expiresAt,
    isRefreshable,
  };
}

/**
 * Parses the text of a file. An incomplete credential is `undefined`, so that no partial one is used. Unknown members are kept.
 */
export function parseCredential(text: string): StoredCredential | undefined {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isRecord(found) && isCredential(found) ? found : undefined;
}

function isCredential(found: Record<string, unknown>): found is Record<string, unknown> & StoredCredential {
  const { serverUrl, issuer, resource, clientId, client, tokens, scopes, obtainedAt, expiresAt } = found;
  return (
    isText(serverUrl) &&
    isText(issuer) &&
    isText(resource) &&
    isMissingOr(isText, clientId) &&
    isMissingOr(isText, found.resourceIndicator) &&
    isMissingOr(isText, found.configuredResource) &&
    isMissingOr(isText, found.loginId) &&
    isMissingOr(isTrue, found.isSpent) &&
    isRecord(client) &&
    isText(client.client_id) &&
    isMissingOr(isText, client.client_secret) &&
    isRecord(tokens) &&
    isText(tokens.access_token) &&
    fitsHeader(tokens.access_token) &&
    isText(tokens.token_type) &&
    isMissingOr(isText, tokens.refresh_token) &&
    Array.isArray(scopes) &&
    scopes.every(isText) &&
    isTime(obtainedAt) &&
    isMissingOr(isTime, expiresAt)
  );
}

function isTrue(value: unknown): value is true {
  return value === true;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isMissingOr<T>(is: (value: unknown) => value is T, value: unknown): value is T | undefined {
  return value === undefined || is(value);
}
