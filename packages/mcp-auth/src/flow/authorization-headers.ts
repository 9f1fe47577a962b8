import type { AuthChallenge, CredentialedRequest } from "@jackfield/mcp-core";
import type { DpopSession, OAuthTokens } from "@modelcontextprotocol/client";
import { loadSdk, type Sdk } from "../sdk.ts";
import type { StoredCredential } from "../vault/token-vault.ts";

/** The private key that the tokens of a login are bound to (RFC 9449). Of P-256, for ES256. */
export type ProofKey = { readonly [member in "kty" | "crv" | "x" | "y" | "d"]: string };

const P_256 = { name: "ECDSA", namedCurve: "P-256" } as const;

/** Makes a key. It is kept with the login, because its refresh token is bound to it as well, and other machines renew it, too. */
export async function createProofKey(): Promise<ProofKey> {
  const { privateKey } = await crypto.subtle.generateKey(P_256, true, ["sign", "verify"]);
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey("jwk", privateKey);
  return { kty, crv, x, y, d } as ProofKey;
}

/** What signs proofs with a key, and remembers what servers want in them. */
export async function proofSession(sdk: Sdk, { kty, crv, x, y, d }: ProofKey): Promise<DpopSession> {
  const publicJwk = { crv, kty, x, y }; // in the order of a thumbprint (RFC 7638)
  const [privateKey, publicKey, digest] = await Promise.all([
    crypto.subtle.importKey("jwk", { ...publicJwk, d }, P_256, false, ["sign"]),
    crypto.subtle.importKey("jwk", publicJwk, P_256, true, ["verify"]),
    crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(publicJwk))),
  ]);
  const thumbprint = Buffer.from(digest).toString("base64url");
  return sdk.DpopSession.create({ keyPair: { privateKey, publicKey, publicJwk, thumbprint, alg: "ES256" } });
}

/** Whether a token is sent with a proof (RFC 9449, section 7.1). */
export function isBound({ token_type }: OAuthTokens): boolean {
  return token_type.toLowerCase() === "dpop";
}

/** How the tokens of a login are sent: alone, or with a proof for each request, with the nonce that the server wants in it. */
export class AuthorizationHeaders {
  #signer: { readonly key: string; readonly session: Promise<DpopSession> } | undefined;

  /** The headers of one request. */
  async of(
    { tokens, proofKey: key }: Pick<StoredCredential, "tokens" | "proofKey">,
    { method, url }: CredentialedRequest,
  ): Promise<Record<string, string>> {
    const { access_token: accessToken } = tokens;
    if (key === undefined || !isBound(tokens)) return { authorization: `Bearer ${accessToken}` };
    if (this.#signer?.key !== key.d) this.#signer = { key: key.d, session: sessionFor(key) };
    const session = await this.#signer.session;
    const dpop = await session.buildProof({ htm: method, htu: url, accessToken });
    return { authorization: `DPoP ${accessToken}`, dpop };
  }

  /** Remembers the nonce of a challenge. Returns whether there is one, and proofs to hold it. */
  async takeNonce({ dpopNonce }: AuthChallenge, url: string): Promise<boolean> {
    if (this.#signer === undefined || dpopNonce === undefined) return false;
    const session = await this.#signer.session;
    session.rememberNonce(url, dpopNonce);
    return true;
  }
}

async function sessionFor(key: ProofKey): Promise<DpopSession> {
  return proofSession(await loadSdk(), key);
}
