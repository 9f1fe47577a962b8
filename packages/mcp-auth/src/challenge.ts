import type { AuthChallenge } from "@jackfield/mcp-core";
import { type Challenge, readChallenges } from "./challenge-list.ts";

/** The Bearer challenge of a server that refused a request. */
export interface ReadChallenge {
  /** Where its metadata is (RFC 9728). */
  readonly resourceMetadataUrl?: URL | undefined;
  readonly scope?: string | undefined;
  /** The token is valid but lacks scopes (RFC 6750, section 3.1). */
  readonly isInsufficientScope: boolean;
}

/** For a login without a challenge. */
export const NO_CHALLENGE: ReadChallenge = { isInsufficientScope: false };

/**
 * Reads the `WWW-Authenticate` header. Challenges of schemes other than Bearer are ignored. If there are several Bearer challenges,
 * the scope comes from the one with `insufficient_scope` if it names any, else from the one that names the metadata, else from the
 * first that does.
 */
export function readChallenge({
  wwwAuthenticate = "",
}: Pick<AuthChallenge, "wwwAuthenticate">): ReadChallenge {
  const bearers = readChallenges(wwwAuthenticate).filter(({ scheme }) => scheme === "bearer");
  const insufficient = bearers.find(isInsufficientScope);
  const describing = bearers.find(({ parameters }) => parameters.has("resource_metadata"));
  const ranked = [insufficient, describing, ...bearers].filter((bearer) => bearer !== undefined);
  const scope = ranked.map(({ parameters }) => parameters.get("scope")).find(Boolean);
  return {
    resourceMetadataUrl: URL.parse(describing?.parameters.get("resource_metadata") ?? "") ?? undefined,
    scope,
    isInsufficientScope: insufficient !== undefined,
  };
}

function isInsufficientScope({ parameters }: Challenge): boolean {
  return parameters.get("error") === "insufficient_scope";
}
