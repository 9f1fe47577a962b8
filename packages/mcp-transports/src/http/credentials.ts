import {
  type AuthChallenge,
  type AuthPort,
  ownCredentials,
  type ResolvedRemoteServer,
} from "@jackfield/mcp-core";
import { type HeaderList, headerOf, type IncomingHeaders } from "./http-wire.ts";
import { isReservedHeader } from "./reserved-headers.ts";

/** Credentials as a request was given them. */
export interface Attached {
  readonly headers: HeaderList;
  /** How many challenges had been met by then. */
  readonly generation: number;
}

/** The credentials of one channel. Challenges that arrive together are met together. */
export interface Credentials {
  /** `undefined` where nobody has to be asked, so that nobody has to wait either. */
  attach(): Promise<Attached> | undefined;
  /** Whether challenges have been met since, so that a request with newer ones may be made without asking anybody. */
  isOutdated(attached: Attached): boolean;
  /** Meets a challenge; `true`: the request may be made once more. */
  answer(challenge: AuthChallenge, attached: Attached): Promise<boolean>;
}

export interface CredentialsOptions {
  readonly server: ResolvedRemoteServer;
  readonly auth?: AuthPort | undefined;
  /** Fires when the channel is closed: no login outlives it. */
  readonly signal: AbortSignal;
}

/** Credentials from the host's port, unless the entry has its own. */
export function createCredentials({ server, auth, signal }: CredentialsOptions): Credentials | undefined {
  // Who configures such credentials wants those: stored ones then stay out of it.
  if (!auth || ownCredentials(server) !== undefined) return undefined;
  let generation = 0;
  let meeting: Promise<boolean> | undefined;

  const meet = async (challenge: AuthChallenge) => {
    const verdict = await auth.onChallenge(server, challenge, signal);
    generation += 1;
    return verdict === "retry";
  };
  // While a challenge is being met, what is there is not newer yet.
  const isOutdated = (attached: Attached) => attached.generation < generation && !meeting;
  return {
    isOutdated,
    async attach() {
      const attachedAt = generation;
      return { headers: listOf(await auth.headers(server)), generation: attachedAt };
    },
    async answer(challenge, attached) {
      // Another request met the same challenge meanwhile: the credentials it was refused with are outdated.
      if (isOutdated(attached)) return true;
      meeting ??= meet(challenge).finally(() => {
        meeting = undefined;
      });
      return meeting;
    },
  };
}

/** What an answer challenges us to. A 403 without a challenge is a plain no: no credential would change it (RFC 6750, section 3.1). */
export function readChallenge(status: number, headers: IncomingHeaders): AuthChallenge | undefined {
  const wwwAuthenticate = headerOf(headers, "www-authenticate");
  if (status === 401) return { status, wwwAuthenticate };
  if (status === 403 && wwwAuthenticate) return { status, wwwAuthenticate };
  return undefined;
}

function listOf(headers: { readonly [name: string]: string }): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    isReservedHeader(name) ? [] : [name.toLowerCase(), value],
  );
}
