import type { Credentials } from "./credentials.ts";

/** Returns the credentials for the next opening of a stream. */
export type StreamCredentials = () => Credentials | undefined;

/** Credentials that trigger neither a login nor a token refresh: a challenge is a refusal. */
export function withoutLogin(credentials: Credentials | undefined): Credentials | undefined {
  return credentials && { ...credentials, meetChallenge: async () => false };
}

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

/** The credentials of the server's own stream. */
export interface LimitedLoginCredentials {
  readonly next: StreamCredentials;
  /** The stream has been open: its first opening is over. */
  opened(): void;
}

/**
 * Meets one challenge for the first opening, and later ones only while a message waits for the stream: it is reopened as long as the
 * session lasts, and each reopening could ask for a login. Credentials that calls have renewed are used all the same.
 */
export function limitedLoginCredentials(
  credentials: Credentials | undefined,
  isAwaited: () => boolean,
): LimitedLoginCredentials {
  if (!credentials) return { next: () => undefined, opened() {} };
  let mayAsk = true;
  const asking: Credentials = {
    ...credentials,
    async meetChallenge(challenge, attached) {
      if (credentials.isOutdated(attached)) return true;
      if (!mayAsk && !isAwaited()) return false;
      try {
        return await credentials.meetChallenge(challenge, attached);
      } catch {
        // A refusal like any other: messages that wait for the stream must not wait for the next login.
        return false;
      } finally {
        mayAsk = false;
      }
    },
  };
  return {
    next: () => asking,
    opened() {
      mayAsk = false;
    },
  };
}

/** The credentials of an answer's stream. Once a challenge was not met, later ones are refusals. */
export function answerCredentials(credentials: Credentials | undefined): StreamCredentials {
  if (!credentials) return () => undefined;
  let mayAsk = true;
  const asking: Credentials = {
    ...credentials,
    async meetChallenge(challenge, attached) {
      if (!mayAsk) return false;
      mayAsk = false;
      mayAsk = await credentials.meetChallenge(challenge, attached);
      return mayAsk;
    },
  };
  return () => asking;
}
