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

/** Reads the `WWW-Authenticate` header; a challenge of another scheme than Bearer says nothing, wherever it stands. */
export function readChallenge({
  wwwAuthenticate = "",
}: Pick<AuthChallenge, "wwwAuthenticate">): ReadChallenge {
  const bearers = readChallenges(wwwAuthenticate).filter(({ scheme }) => scheme === "bearer");
  const bearer = bearers.find(namesMetadata) ?? bearers[0];
  if (bearer === undefined) return NO_CHALLENGE;
  const { parameters } = bearer;
  return {
    resourceMetadataUrl: URL.parse(parameters.get("resource_metadata") ?? "") ?? undefined,
    scope: parameters.get("scope") || undefined,
    isInsufficientScope: parameters.get("error") === "insufficient_scope",
  };
}

function namesMetadata({ parameters }: Challenge): boolean {
  return parameters.has("resource_metadata");
}
