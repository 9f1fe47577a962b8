import type { Credentials } from "./credentials.ts";

/** Gives the credentials of a stream for each of its openings. */
export type StreamCredentials = () => Credentials | undefined;

/** The same where nobody may be asked to log in and no token spent: a challenge is a refusal. */
export function withoutLogin(credentials: Credentials | undefined): Credentials | undefined {
  return credentials && { ...credentials, answer: async () => false };
}

/** The same where somebody wants to hear of every challenge that was met. */
export function heardCredentials(
  credentials: Credentials | undefined,
  onMet: () => void,
): Credentials | undefined {
  if (!credentials) return undefined;
  return {
    ...credentials,
    async answer(challenge, attached) {
      const isMet = await credentials.answer(challenge, attached);
      if (isMet) onMet();
      return isMet;
    },
  };
}

/** Those of the server's own stream. */
export interface StandingCredentials {
  readonly next: StreamCredentials;
  /** The stream has been open: its first opening is over. */
  opened(): void;
}

/**
 * A challenge is met once for the first opening, and else only while somebody waits for the stream: it is opened again for as long as
 * there is a session, and whoever is asked to log in would be asked as often. What calls renew is used all the same.
 */
export function standingCredentials(
  credentials: Credentials | undefined,
  isAwaited: () => boolean,
): StandingCredentials {
  if (!credentials) return { next: () => undefined, opened() {} };
  let mayAsk = true;
  const asking: Credentials = {
    ...credentials,
    async answer(challenge, attached) {
      if (credentials.isOutdated(attached)) return true;
      if (!mayAsk && !isAwaited()) return false;
      try {
        return await credentials.answer(challenge, attached);
      } catch {
        // A refusal like any other: whoever waits for the stream must not wait for the next login.
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

/** Those of the stream of an answer. Once a challenge was not met, none is handed over any more. */
export function answerCredentials(credentials: Credentials | undefined): StreamCredentials {
  if (!credentials) return () => undefined;
  let mayAsk = true;
  const asking: Credentials = {
    ...credentials,
    async answer(challenge, attached) {
      if (!mayAsk) return false;
      mayAsk = false;
      mayAsk = await credentials.answer(challenge, attached);
      return mayAsk;
    },
  };
  return () => asking;
}
