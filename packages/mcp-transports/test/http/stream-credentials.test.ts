import { describe, expect, test, vi } from "vitest";
import type { Credentials } from "../../src/http/credentials.ts";
import {
  answerCredentials,
  heardCredentials,
  standingCredentials,
} from "../../src/http/stream-credentials.ts";

const CHALLENGE = { status: 401 } as const;
const ATTACHED = { headers: ["authorization", "Bearer token"], generation: 0 };

function credentials(answer: Credentials["answer"]) {
  return { attach: vi.fn(async () => ATTACHED), answer: vi.fn(answer), isOutdated: vi.fn(() => false) };
}

describe("the credentials of the server's own stream", () => {
  const nobody = () => false;
  const ways: [string, boolean, Credentials["answer"]][] = [
    ["is met", true, async () => true],
    ["is not met", false, async () => false],
    ["fails", false, () => Promise.reject(new Error("Nobody is there."))],
  ];

  test.each(ways)(
    "ask once for the first opening where that %s, and are attached to each",
    async (_, isMet, answer) => {
      const known = credentials(answer);
      const { next } = standingCredentials(known, nobody);
      expect(await next()?.attach()).toBe(ATTACHED);
      expect(await next()?.answer(CHALLENGE, ATTACHED)).toBe(isMet);
      for (const _ of [2, 3]) {
        const again = next();
        expect(await again?.attach()).toBe(ATTACHED);
        expect(await again?.answer(CHALLENGE, ATTACHED)).toBe(false);
      }
      expect(known.answer).toHaveBeenCalledTimes(1);
    },
  );

  test("may still ask after an opening that met with no challenge, and came to nothing", async () => {
    const { next } = standingCredentials(
      credentials(async () => true),
      nobody,
    );
    await next()?.attach();
    expect(await next()?.answer(CHALLENGE, ATTACHED)).toBe(true);
  });

  test("ask for nothing once the stream has been open", async () => {
    const known = credentials(async () => true);
    const { next, opened } = standingCredentials(known, nobody);
    opened();
    expect(await next()?.answer(CHALLENGE, ATTACHED)).toBe(false);
    expect(known.answer).not.toHaveBeenCalled();
  });

  test.each(ways)("ask whenever somebody waits for the stream, where that %s", async (_, isMet, answer) => {
    const known = credentials(answer);
    let isAwaited = true;
    const { next, opened } = standingCredentials(known, () => isAwaited);
    opened();
    for (const _ of [1, 2]) expect(await next()?.answer(CHALLENGE, ATTACHED)).toBe(isMet);
    isAwaited = false;
    expect(await next()?.answer(CHALLENGE, ATTACHED)).toBe(false);
    expect(known.answer).toHaveBeenCalledTimes(2);
  });

  test("that are outdated are replaced without asking", async () => {
    const known = credentials(async () => false);
    const { next, opened } = standingCredentials(known, nobody);
    opened();
    known.isOutdated.mockReturnValue(true);
    expect(await next()?.answer(CHALLENGE, ATTACHED)).toBe(true);
    expect(known.answer).not.toHaveBeenCalled();
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

test("whoever wants to hear of challenges hears of those that were met", async () => {
  const onMet = vi.fn();
  for (const isMet of [true, false]) {
    const heard = heardCredentials(
      credentials(async () => isMet),
      onMet,
    );
    expect(await heard?.answer(CHALLENGE, ATTACHED)).toBe(isMet);
    expect(onMet).toHaveBeenCalledTimes(1);
  }
});

test("where there are none, a stream has none", () => {
  const standing = standingCredentials(undefined, () => true);
  standing.opened();
  expect([standing.next(), answerCredentials(undefined)(), heardCredentials(undefined, () => {})]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
