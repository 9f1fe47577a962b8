import { describe, expect, test } from "vitest";
import { createOpenQuestions, MOST_OPEN_QUESTIONS } from "../../src/handshake/open-questions.ts";

const opened = (hasConnections = false) => {
  const questions = createOpenQuestions({ hasConnections });
  for (let id = 0; id < MOST_OPEN_QUESTIONS; id += 1) expect(questions.open(id)).toBe(true);
  return questions;
};

describe("what a server asks", () => {
  test("is open until its answer is taken", async () => {
    const questions = opened();
    expect(questions.open("more")).toBe(false);
    const taken = Promise.withResolvers<void>();
    const answered = questions.answer(7, () => taken.promise);
    expect(questions.open("more")).toBe(false);
    taken.resolve();
    await answered;
    expect(questions.open("more")).toBe(true);
    expect(questions.open("still more")).toBe(false);
  });

  test("is open no longer if its answer cannot be sent", async () => {
    const questions = opened();
    await expect(questions.answer(7, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(questions.open("more")).toBe(true);
  });

  test("is open no longer if it is taken back, and what was never asked makes no room", () => {
    const questions = opened();
    questions.withdraw("never asked");
    expect(questions.open("more")).toBe(false);
    questions.withdraw(7);
    questions.withdraw(7);
    expect(questions.open("more")).toBe(true);
    expect(questions.open("still more")).toBe(false);
  });

  test("counts as often as it is asked, also with one id", async () => {
    const questions = createOpenQuestions({ hasConnections: false });
    for (let n = 0; n < MOST_OPEN_QUESTIONS; n += 1) expect(questions.open("same")).toBe(true);
    expect(questions.open("same")).toBe(false);
    await questions.answer("same", async () => {});
    expect(questions.open("same")).toBe(true);
  });
});

describe("answers", () => {
  test("that have connections of their own go out 16 at a time, in order", async () => {
    const questions = opened(true);
    const sent: number[] = [];
    const taken: (() => void)[] = [];
    const answers = Array.from({ length: 40 }, (_, id) =>
      questions.answer(id, () => {
        sent.push(id);
        return new Promise((resolve) => taken.push(resolve));
      }),
    );
    expect(sent).toHaveLength(16);
    for (let n = 0; n < 40; n += 1) {
      taken[n]?.();
      await answers[n];
      await new Promise(setImmediate);
      expect(sent).toHaveLength(Math.min(40, 17 + n));
    }
    expect(sent).toEqual(Array.from({ length: 40 }, (_, id) => id));
  });

  test("that share one go out at once", () => {
    const questions = opened();
    let sent = 0;
    for (let id = 0; id < 40; id += 1)
      void questions.answer(id, async () => {
        sent += 1;
      });
    expect(sent).toBe(40);
  });
});
