import { REDACTED } from "@jackfield/mcp-core";
import type { StoredOAuthClientInformation } from "@modelcontextprotocol/client";
import type { StoredCredential } from "../vault/token-vault.ts";

/** One or two characters are no secret, and occur in every text. */
const SHORTEST_SECRET = 3;

/** Redacts secrets that a server may have quoted, verbatim or as forms, URLs and JSON spell them. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const evened = evenEscapes(text);
  const hidden = secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .flatMap(spellingsOf)
    .map(evenEscapes)
    .sort((one, other) => other.length - one.length)
    .reduce((shown, spelling) => shown.replaceAll(spelling, REDACTED), evened);
  return hidden === evened ? text : hidden;
}

/** Writes percent-encodings in upper case; either case means the same (RFC 3986, section 2.1). */
function evenEscapes(text: string): string {
  return text.replace(/%[\da-f]{2}/gi, (octet) => octet.toUpperCase());
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

function spellingsOf(secret: string): readonly string[] {
  const inForm = new URLSearchParams([["", secret]]).toString().slice(1);
  return [secret, encodeForUrl(secret), inForm, JSON.stringify(secret).slice(1, -1)];
}

/** `encodeURIComponent` throws on a lone surrogate. */
function encodeForUrl(secret: string): string {
  return encodeURIComponent(secret.toWellFormed());
}
