import type { CredentialSummary, StoredCredential } from "./token-vault.ts";

/** What may stand in a header's value (RFC 9110, section 5.5). */
const FITS_HEADER = /^[\t\x20-\x7e\x80-\xff]+$/;

/** Whether a header can carry an access token. */
export function fitsHeader(token: string): boolean {
  return FITS_HEADER.test(token);
}

/** Whether two are the same grant: the same tokens, of the same issuer, for the same resource and client. */
export function isSameCredential(one: StoredCredential, other: StoredCredential): boolean {
  return (
    one.issuer === other.issuer &&
    one.resource === other.resource &&
    one.client.client_id === other.client.client_id &&
    one.tokens.access_token === other.tokens.access_token &&
    one.tokens.refresh_token === other.tokens.refresh_token
  );
}

/** By what the login is known that a credential is of. One that was stored without a name changes it whenever it is renewed. */
export function loginOf({ loginId, tokens }: StoredCredential): string {
  return loginId ?? tokens.access_token;
}

/** What may be shown of a credential. */
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
 * Reads what a file holds. Whatever is not wholly a credential is `undefined`, so nothing half-read reaches an authorization
 * server. Members that are not known here are kept.
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
