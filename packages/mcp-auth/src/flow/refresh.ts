import type { FetchLike } from "@modelcontextprotocol/client";
import type { AuthorizationSettings } from "../entry-settings.ts";
import type { Sdk } from "../sdk.ts";
import type { StoredCredential } from "../vault/token-vault.ts";
import { readAuthorityMetadata } from "./authority.ts";
import { withSecret } from "./client-identity.ts";
import { refreshedCredential, requireBearer } from "./grant.ts";
import { loginError } from "./login-error.ts";
import { secretsOf } from "./login-secrets.ts";
import { withoutNullMembers } from "./null-members.ts";
import { isOutage, watchAnswers } from "./outage.ts";

/** A token is renewed this long before it expires (oh-my-pi). */
const RENEWED_BEFORE_END_MS = 300_000;
/** A token whose lifetime is too short for that is renewed in the last fifth of it. */
const RENEWED_IN_LAST = 0.2;

/** Errors after which a refresh token is no longer usable (RFC 6749, section 5.2). */
const DEFINITE_REFUSALS = new Set(["invalid_grant", "invalid_client", "unauthorized_client"]);

/** Whether a credential should be renewed before it is used. */
export function isDue({ tokens, obtainedAt, expiresAt }: StoredCredential, now: number): boolean {
  if (tokens.refresh_token === undefined || expiresAt === undefined) return false;
  const margin = Math.min(RENEWED_BEFORE_END_MS, (expiresAt - obtainedAt) * RENEWED_IN_LAST);
  return now >= expiresAt - margin;
}

export interface RefreshOptions {
  readonly sdk: Sdk;
  /** For requests that change nothing, such as reading metadata. */
  readonly fetch: FetchLike;
  /** Sends the refresh token. */
  readonly redeem: FetchLike;
  /** The server's name as configured. */
  readonly server: string;
  readonly settings: AuthorizationSettings;
  readonly now: () => number;
}

/** The result of a refresh that did not fail temporarily. */
export type Refreshed =
  | { readonly kind: "renewed"; readonly credential: StoredCredential }
  /** The credential is no longer valid; a login is needed. */
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Redeems the refresh token, only with the issuer that gave it.
 *
 * @throws McpError if it failed for a reason that may be temporary; the credential stays valid
 */
export async function refresh(credential: StoredCredential, options: RefreshOptions): Promise<Refreshed> {
  const { sdk, fetch, redeem, server, settings, now } = options;
  const { issuer, tokens, resourceIndicator } = credential;
  const metadata = await readAuthorityMetadata({ sdk, fetch, server, url: issuer });
  const client = withSecret(credential.client, settings);
  const secrets = secretsOf({ tokens, client });
  const { fetch: fetchFn, answers } = watchAnswers(redeem);
  const step = { server, doing: "token request", endpoint: metadata.token_endpoint, secrets } as const;
  try {
    const renewed = await sdk.refreshAuthorization(issuer, {
      metadata,
      clientInformation: client,
      refreshToken: tokens.refresh_token ?? "",
      ...(resourceIndicator === undefined ? {} : { resource: resourceIndicator }),
      fetchFn: withoutNullMembers(fetchFn),
    });
    return { kind: "renewed", credential: refreshedCredential(credential, requireBearer(renewed), now()) };
  } catch (error) {
    const answer = answers.at(-1);
    const mcpError = loginError(sdk, error, { ...step, answer });
    const isDefinite = error instanceof sdk.OAuthError && DEFINITE_REFUSALS.has(error.code);
    // An outage says nothing about the refresh token, whatever error code a gateway writes into the answer.
    if (isDefinite && !isOutage(answer?.status ?? 0)) return { kind: "refused", reason: mcpError.message };
    throw mcpError;
  }
}
