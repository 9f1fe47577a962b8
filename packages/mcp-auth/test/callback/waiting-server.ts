import { onTestFinished } from "vitest";
import { type CallbackServerOptions, openCallbackServer } from "../../src/callback/callback-server.ts";

export const SUBJECT = { issuer: "https://issuer.example" };

/** A server that waits for the response with one state. The caller closes it. */
export async function openLogin(options: CallbackServerOptions = {}) {
  const server = await openCallbackServer(options);
  const { state } = server;
  const answer = server.expect(SUBJECT);
  answer.catch(() => {});
  const good = `/callback?code=the-code&state=${state}&iss=https%3A%2F%2Fissuer.example`;
  return { server, state, answer, good, uri: server.redirectUri };
}

/** The same, closed when the test ends. */
export async function openWaiting(options: CallbackServerOptions = {}) {
  const login = await openLogin(options);
  onTestFinished(() => login.server.close());
  return login;
}

/** What the good response holds. */
export const EXPECTED = { code: "the-code", iss: "https://issuer.example" };
