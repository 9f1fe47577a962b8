import type { AuthChallenge } from "@jackfield/mcp-core";
import { type Challenge, readChallenges } from "./challenge-list.ts";

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

/**
 * Reads the `WWW-Authenticate` header; a challenge of another scheme than Bearer says nothing, wherever it stands. Where several of
 * Bearer stand, each fact is taken from whichever has it: first from the one that wants more scopes, then from the one that names the
 * metadata.
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
