import type { AuthChallenge } from "@jackfield/mcp-core";
import type { Sdk } from "./sdk.ts";

/** What a server said when it refused a request. */
export interface ReadChallenge {
  /** Where its metadata is (RFC 9728). */
  readonly resourceMetadataUrl?: URL | undefined;
  readonly scope?: string | undefined;
  /** The token is good, and does not reach far enough (RFC 6750, section 3.1). */
  readonly isInsufficientScope: boolean;
}

/** No challenge: a login that somebody asked for by himself. */
export const NO_CHALLENGE: ReadChallenge = { isInsufficientScope: false };

/** Reads the `WWW-Authenticate` header; one of another scheme than Bearer says nothing. */
export function readChallenge(
  sdk: Sdk,
  { wwwAuthenticate }: Pick<AuthChallenge, "wwwAuthenticate">,
): ReadChallenge {
  if (wwwAuthenticate === undefined) return NO_CHALLENGE;
  const headers = new Headers({ "www-authenticate": wwwAuthenticate });
  const { resourceMetadataUrl, scope, error } = sdk.extractWWWAuthenticateParams(
    new Response(null, { headers }),
  );
  return { resourceMetadataUrl, scope, isInsufficientScope: error === "insufficient_scope" };
}
