import { isRecord, McpError } from "@jackfield/mcp-core";
import type { NamedClient } from "../entry-settings.ts";
import type { Authority } from "../flow/authority.ts";
import { isSameIdentifier } from "../flow/metadata.ts";
import type { CredentialSummary, StoredCredential } from "./token-vault.ts";

/**
 * The spelling of a server's URL under which credentials are stored: normalized as the URL standard does, without fragment, user name
 * and password. Path and query are kept, because servers may distinguish users by them.
 *
 * @throws McpError `MCP_CONFIG_INVALID` if it is not an http or https URL
 */
export function canonicalServerUrl(serverUrl: string | URL): string {
  const url = URL.parse(String(serverUrl));
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new McpError("MCP_CONFIG_INVALID", "A server's URL must begin with https:// or http://.");
  }
  url.hash = "";
  url.username = "";
  url.password = "";
  return url.href;
}

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

/** Whether a credential was granted by this issuer for this resource. */
export function isGrantedBy(
  { issuer, resourceIndicator }: StoredCredential,
  authority: Pick<Authority, "issuer" | "resourceIndicator">,
): boolean {
  return (
    isSameIdentifier(issuer, authority.issuer) &&
    isSameIdentifier(resourceIndicator, authority.resourceIndicator)
  );
}

/** Whether a credential may be used for an entry. */
export function isUsableFor(stored: StoredCredential, entry: { readonly settings: NamedClient }): boolean {
  return stored.isSpent !== true && isNamedBy(stored, entry);
}

/** Whether a credential belongs to an entry: one that names another client or resource needs its own login (threat T33). */
export function isNamedBy(
  { clientId, resource, resourceIndicator }: StoredCredential,
  { settings }: { readonly settings: NamedClient },
): boolean {
  if (clientId !== settings.clientId) return false;
  if (settings.resource === false) return resourceIndicator === undefined;
  return settings.resource === undefined || settings.resource === resource;
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
    isMissingOr(isRecord, found.proofKey) &&
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
