import type { StoredOAuthClientInformation } from "@modelcontextprotocol/client";
import type { StoredCredential } from "../vault/token-vault.ts";

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
