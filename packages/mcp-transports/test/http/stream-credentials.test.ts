import { describe, expect, test, vi } from "vitest";
import type { Credentials } from "../../src/http/credentials.ts";
import { answerCredentials, standingCredentials } from "../../src/http/stream-credentials.ts";

const CHALLENGE = { status: 401 } as const;
const ATTACHED = { headers: ["authorization", "Bearer token"], generation: 0 };

function credentials(answer: Credentials["answer"]) {
  return { attach: vi.fn(async () => ATTACHED), answer: vi.fn(answer) };
}

describe("the credentials of the server's own stream", () => {
  test("meet a challenge for the first opening, and are attached to each", async () => {
    const known = credentials(async () => true);
    const next = standingCredentials(known);
    expect(await next()?.answer(CHALLENGE, ATTACHED)).toBe(true);
    for (const _ of [2, 3]) {
      const again = next();
      expect(await again?.attach()).toBe(ATTACHED);
      expect(await again?.answer(CHALLENGE, ATTACHED)).toBe(false);
    }
    expect(known.answer).toHaveBeenCalledTimes(1);
  });
});

describe("the credentials of the stream of an answer", () => {
  test("meet challenges for as long as they are met", async () => {
    const known = credentials(async () => true);
    const next = answerCredentials(known);
    for (const _ of [1, 2]) expect(await next()?.answer(CHALLENGE, ATTACHED)).toBe(true);
    expect(known.answer).toHaveBeenCalledTimes(2);
  });

  test.each([
    ["was refused", async () => false],
    ["failed", () => Promise.reject(new Error("Nobody is there."))],
  ])("ask for no login after one that %s", async (_, answer) => {
    const known = credentials(answer);
    const next = answerCredentials(known);
    await next()
      ?.answer(CHALLENGE, ATTACHED)
      .catch(() => {});
    expect(await next()?.answer(CHALLENGE, ATTACHED)).toBe(false);
    expect(known.answer).toHaveBeenCalledTimes(1);
  });
});

test("where there are none, a stream has none", () => {
  expect([standingCredentials(undefined)(), answerCredentials(undefined)()]).toEqual([undefined, undefined]);
});
