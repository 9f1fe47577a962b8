import type { Credentials } from "./credentials.ts";

/** Gives the credentials of a stream for each of its openings. */
export type StreamCredentials = () => Credentials | undefined;

/** The same where nobody may be asked to log in and no token spent: a challenge is a refusal. */
export function withoutLogin(credentials: Credentials | undefined): Credentials | undefined {
  return credentials && { ...credentials, answer: async () => false };
}

/**
 * Those of the server's own stream. A challenge is met for its first opening alone: the stream is opened again for as long as there is a
 * session, and whoever is asked to log in would be asked as often. What calls renew is used all the same.
 */
export function standingCredentials(credentials: Credentials | undefined): StreamCredentials {
  let wasOpened = false;
  return () => {
    if (wasOpened) return withoutLogin(credentials);
    wasOpened = true;
    return credentials;
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
