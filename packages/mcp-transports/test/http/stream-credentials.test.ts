import { describe, expect, test, vi } from "vitest";
import type { Credentials } from "../../src/http/credentials.ts";
import { answerCredentials, heardCredentials, LimitedLogin } from "../../src/http/stream-credentials.ts";

const POST = { method: "POST", url: "https://example.com/mcp" };
const CHALLENGE = { status: 401 } as const;
const ATTACHED = { headers: ["authorization", "Bearer token"], generation: 0 };

function credentials(meetChallenge: Credentials["meetChallenge"]) {
  return {
    attach: vi.fn(async () => ATTACHED),
    meetChallenge: vi.fn(meetChallenge),
    isOutdated: vi.fn(() => false),
  };
}

describe("the credentials of the server's GET stream", () => {
  const neverAwaited = () => false;
  const ways: [string, boolean, Credentials["meetChallenge"]][] = [
    ["is met", true, async () => true],
    ["is not met", false, async () => false],
    ["fails", false, () => Promise.reject(new Error("Nobody is there."))],
  ];

  test.each(ways)(
    "are attached to every opening, and try to meet only the first challenge, which %s",
    async (_, isMet, meetChallenge) => {
      const known = credentials(meetChallenge);
      const login = new LimitedLogin(known, neverAwaited);
      expect(await login.credentials?.attach(POST, false)).toBe(ATTACHED);
      expect(await login.credentials?.meetChallenge(CHALLENGE, ATTACHED)).toBe(isMet);
      for (const _ of [2, 3]) {
        const again = login.credentials;
        expect(await again?.attach(POST, false)).toBe(ATTACHED);
        expect(await again?.meetChallenge(CHALLENGE, ATTACHED)).toBe(false);
      }
      expect(known.meetChallenge).toHaveBeenCalledTimes(1);
    },
  );

  test("may still meet a challenge after an opening without one", async () => {
    const login = new LimitedLogin(
      credentials(async () => true),
      neverAwaited,
    );
    await login.credentials?.attach(POST, false);
    expect(await login.credentials?.meetChallenge(CHALLENGE, ATTACHED)).toBe(true);
  });

  test("meet no challenge once the stream has been open", async () => {
    const known = credentials(async () => true);
    const login = new LimitedLogin(known, neverAwaited);
    login.opened();
    expect(await login.credentials?.meetChallenge(CHALLENGE, ATTACHED)).toBe(false);
    expect(known.meetChallenge).not.toHaveBeenCalled();
  });

  test.each(ways)(
    "try to meet each challenge, which %s, while a message waits for the stream",
    async (_, isMet, meetChallenge) => {
      const known = credentials(meetChallenge);
      let isAwaited = true;
      const login = new LimitedLogin(known, () => isAwaited);
      login.opened();
      for (const _ of [1, 2]) expect(await login.credentials?.meetChallenge(CHALLENGE, ATTACHED)).toBe(isMet);
      isAwaited = false;
      expect(await login.credentials?.meetChallenge(CHALLENGE, ATTACHED)).toBe(false);
      expect(known.meetChallenge).toHaveBeenCalledTimes(2);
    },
  );

  test("take a nonce at every opening", async () => {
    const known = credentials(async () => true);
    const login = new LimitedLogin(known, neverAwaited);
    login.opened();
    for (const dpopNonce of ["one", "two"])
      expect(await login.credentials?.meetChallenge({ ...CHALLENGE, dpopNonce }, ATTACHED)).toBe(true);
    expect(await login.credentials?.meetChallenge(CHALLENGE, ATTACHED)).toBe(false);
  });

  test("that are outdated are retried without meeting the challenge", async () => {
    const known = credentials(async () => false);
    const login = new LimitedLogin(known, neverAwaited);
    login.opened();
    known.isOutdated.mockReturnValue(true);
    expect(await login.credentials?.meetChallenge(CHALLENGE, ATTACHED)).toBe(true);
    expect(known.meetChallenge).not.toHaveBeenCalled();
  });
});

describe("the credentials of an answer's stream", () => {
  test("meet challenges as long as each one succeeds", async () => {
    const known = credentials(async () => true);
    const answer = answerCredentials(known);
    for (const _ of [1, 2]) expect(await answer?.meetChallenge(CHALLENGE, ATTACHED)).toBe(true);
    expect(known.meetChallenge).toHaveBeenCalledTimes(2);
  });

  test.each([
    ["was not met", async () => false],
    ["failed", () => Promise.reject(new Error("Nobody is there."))],
  ])("try to meet no challenge after one that %s", async (_, meetChallenge) => {
    const known = credentials(meetChallenge);
    const answer = answerCredentials(known);
    await answer?.meetChallenge(CHALLENGE, ATTACHED).catch(() => {});
    expect(await answer?.meetChallenge(CHALLENGE, ATTACHED)).toBe(false);
    expect(known.meetChallenge).toHaveBeenCalledTimes(1);
  });
});

test("heardCredentials reports only the challenges that were met", async () => {
  const onMet = vi.fn();
  for (const isMet of [true, false]) {
    const heard = heardCredentials(
      credentials(async () => isMet),
      onMet,
    );
    expect(await heard?.meetChallenge(CHALLENGE, ATTACHED)).toBe(isMet);
    expect(onMet).toHaveBeenCalledTimes(1);
  }
});

test("a stream without credentials gets none", () => {
  const standing = new LimitedLogin(undefined, () => true);
  standing.opened();
  expect([standing.credentials, answerCredentials(undefined), heardCredentials(undefined, () => {})]).toEqual(
    [undefined, undefined, undefined],
  );
});
