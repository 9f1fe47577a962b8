import { describe, expect, test } from "vitest";
import {
  createOpenServerRequests,
  MOST_OPEN_SERVER_REQUESTS,
} from "../../src/handshake/open-server-requests.ts";

const opened = (hasConnections = false) => {
  const requests = createOpenServerRequests({ hasConnections });
  for (let id = 0; id < MOST_OPEN_SERVER_REQUESTS; id += 1) expect(requests.open(id)).toBe(true);
  return requests;
};

describe("a server request", () => {
  test("is open until its answer is accepted", async () => {
    const requests = opened();
    expect(requests.open("more")).toBe(false);
    const taken = Promise.withResolvers<void>();
    const answered = requests.answer(7, () => taken.promise);
    expect(requests.open("more")).toBe(false);
    taken.resolve();
    await answered;
    expect(requests.open("more")).toBe(true);
    expect(requests.open("still more")).toBe(false);
  });

  test("is no longer open after its answer could not be sent", async () => {
    const requests = opened();
    await expect(requests.answer(7, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(requests.open("more")).toBe(true);
  });

  test("is no longer open after it is cancelled; an unknown id frees nothing", () => {
    const requests = opened();
    requests.withdraw("never asked");
    expect(requests.open("more")).toBe(false);
    requests.withdraw(7);
    requests.withdraw(7);
    expect(requests.open("more")).toBe(true);
    expect(requests.open("still more")).toBe(false);
  });

  test("counts every time it is sent, even with the same id", async () => {
    const requests = createOpenServerRequests({ hasConnections: false });
    for (let n = 0; n < MOST_OPEN_SERVER_REQUESTS; n += 1) expect(requests.open("same")).toBe(true);
    expect(requests.open("same")).toBe(false);
    await requests.answer("same", async () => {});
    expect(requests.open("same")).toBe(true);
  });
});

describe("answers", () => {
  test("that take a connection each go out 16 at a time, in order", async () => {
    const requests = opened(true);
    const sent: number[] = [];
    const taken: (() => void)[] = [];
    const answers = Array.from({ length: 40 }, (_, id) =>
      requests.answer(id, () => {
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

  test("that share a connection go out at once", () => {
    const requests = opened();
    let sent = 0;
    for (let id = 0; id < 40; id += 1)
      void requests.answer(id, async () => {
        sent += 1;
      });
    expect(sent).toBe(40);
  });
});
