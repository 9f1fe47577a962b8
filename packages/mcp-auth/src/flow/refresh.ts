import { isMcpError } from "@jackfield/mcp-core";
import type { FetchLike } from "@modelcontextprotocol/client";
import type { AuthorizationSettings } from "../entry-settings.ts";
import { loginError, secretsOf } from "../errors.ts";
import type { Sdk } from "../sdk.ts";
import type { StoredCredential } from "../vault/token-vault.ts";
import { watchAnswers } from "./answers.ts";
import { readAuthorityMetadata } from "./authority.ts";
import { proofSession } from "./authorization-headers.ts";
import { withoutSecret, withSecret } from "./client-identity.ts";
import { refreshedCredential, requestTokens } from "./grant.ts";

/** A token is renewed this long before it expires (oh-my-pi). */
const RENEWED_BEFORE_END_MS = 300_000;
/** A token whose lifetime is too short for that is renewed in the last fifth of it. */
const RENEWED_IN_LAST = 0.2;

/** Whether a credential should be renewed before it is used. */
export function isDue(credential: StoredCredential, now: number): boolean {
  return credential.tokens.refresh_token !== undefined && isNearEnd(credential, now);
}

/** Whether a token ends soon; one without an end never does. */
export function isNearEnd(
  { obtainedAt, expiresAt }: Pick<StoredCredential, "obtainedAt" | "expiresAt">,
  now: number,
): boolean {
  if (expiresAt === undefined) return false;
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
 * Redeems the refresh token, only with the issuer that gave it. Any answer but that of an outage is a refusal if it has no token: there
 * are many words for a dead refresh token, and a login is the only way out of all of them.
 *
 * @throws McpError if it failed for a reason that may be temporary; the credential stays valid
 */
export async function refresh(credential: StoredCredential, options: RefreshOptions): Promise<Refreshed> {
  const { sdk, fetch, redeem, server, settings, now } = options;
  const { issuer, tokens, resourceIndicator } = credential;
  const { byHand } = settings;
  const metadata = await readAuthorityMetadata({ sdk, fetch, server, url: issuer, byHand });
  const client = withSecret(credential.client, settings);
  const secrets = secretsOf({ tokens, client });
  const { fetch: watched, answers } = watchAnswers(againIfBroken(redeem));
  const proofs = credential.proofKey && (await proofSession(sdk, credential.proofKey));
  const step = { server, doing: "token request", endpoint: metadata.token_endpoint, secrets } as const;
  try {
    const renewed = await requestTokens({ sdk, metadata, client, fetch: watched, proofs }, (request) =>
      sdk.refreshAuthorization(issuer, {
        ...request,
        refreshToken: tokens.refresh_token ?? "",
        ...(resourceIndicator === undefined ? {} : { resource: resourceIndicator }),
      }),
    );
    const current = { ...credential, client: withoutSecret(renewed.client, settings) };
    return { kind: "renewed", credential: refreshedCredential(current, renewed.tokens, now()) };
  } catch (error) {
    const answer = answers.at(-1);
    const mcpError = loginError(sdk, error, { ...step, answer });
    const isRedirect = answer !== undefined && answer.status >= 300 && answer.status < 400;
    if (answer !== undefined && !isRedirect && mcpError.code === "MCP_AUTH_REQUIRED")
      return { kind: "refused", reason: mcpError.message };
    throw mcpError;
  }
}

/**
 * Sends the refresh token once more, at once, if the connection broke before an answer: the token may be spent, and authorization servers
 * that rotate tokens accept the old one again for some seconds only.
 */
function againIfBroken(redeem: FetchLike): FetchLike {
  return (url, init) =>
    redeem(url, init).catch((error: unknown) => {
      const isBroken = isMcpError(error, "MCP_CONNECT_FAILED") && error.httpStatus === undefined;
      return isBroken ? redeem(url, init) : Promise.reject(error);
    });
}
