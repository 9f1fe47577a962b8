import type { Credentials } from "./credentials.ts";

/** Credentials that call `onMet` whenever a challenge was met. */
export function heardCredentials(
  credentials: Credentials | undefined,
  onMet: () => void,
): Credentials | undefined {
  if (!credentials) return undefined;
  return {
    ...credentials,
    async meetChallenge(challenge, attached) {
      const isMet = await credentials.meetChallenge(challenge, attached);
      if (isMet) onMet();
      return isMet;
    },
  };
}

/**
 * The credentials of the server's own stream. They meet one challenge for the first opening, and later ones only while a message waits for
 * the stream: it is reopened as long as the session lasts, and each reopening could ask for a login. Credentials that calls have renewed
 * are used all the same.
 */
export class LimitedLogin {
  readonly credentials: Credentials | undefined;
  #mayAsk = true;

  constructor(credentials: Credentials | undefined, isAwaited: () => boolean) {
    this.credentials = credentials && {
      ...credentials,
      meetChallenge: async (challenge, attached) => {
        if (credentials.isOutdated(attached)) return true;
        // Nobody is asked for a nonce.
        const wantsNonce = challenge.dpopNonce !== undefined;
        if (!wantsNonce && !this.#mayAsk && !isAwaited()) return false;
        // A refusal like any other: messages that wait for the stream must not wait for the next login.
        const isMet = await credentials.meetChallenge(challenge, attached).catch(() => false);
        if (!wantsNonce) this.#mayAsk = false;
        return isMet;
      },
    };
  }

  /** The stream has been open: its first opening is over. */
  opened(): void {
    this.#mayAsk = false;
  }
}

/** The credentials of an answer's stream. Once a challenge was not met, later ones are refusals. */
export function answerCredentials(credentials: Credentials | undefined): Credentials | undefined {
  if (!credentials) return undefined;
  let mayAsk = true;
  return {
    ...credentials,
    async meetChallenge(challenge, attached) {
      if (challenge.dpopNonce !== undefined) return credentials.meetChallenge(challenge, attached);
      if (!mayAsk) return false;
      mayAsk = false;
      mayAsk = await credentials.meetChallenge(challenge, attached);
      return mayAsk;
    },
  };
}
