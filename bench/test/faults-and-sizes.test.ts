import { afterAll, describe, expect, test } from "vitest";
import { measure, measureSeries } from "../src/measuring-process.ts";
import { serveHttp, stdioServer } from "../src/server-process.ts";
import { renewNotes } from "../src/servers/notes.ts";
import { openWorkplace } from "../src/workplace.ts";

const TIMEOUT_MS = 120_000;

const workplace = await openWorkplace();
const options = { workplace, signal: new AbortController().signal };
afterAll(() => workplace[Symbol.asyncDispose]());

describe("recovery", () => {
  test(
    "of a killed server is measured beside one start of it",
    async () => {
      renewNotes(workplace.notes);
      const server = stdioServer("server", workplace.notes);
      const figures = await measure(
        { kind: "recovery", client: "jackfield", server, notes: workplace.notes, patienceMs: TIMEOUT_MS },
        options,
      );
      expect(figures).toEqual({
        recoveryMs: expect.any(Number),
        comparedMs: expect.any(Number),
        failedCalls: expect.any(Number),
      });
    },
    TIMEOUT_MS,
  );

  test(
    "of a lost session counts the round trips and no failed call",
    async () => {
      await using served = await serveHttp("json", "sessions");
      const figures = await measure(
        { kind: "recovery", client: "jackfield", server: served.server, patienceMs: TIMEOUT_MS },
        options,
      );
      expect(figures.failedCalls).toBe(0);
      expect(figures.roundTrips).toBeGreaterThanOrEqual(1);
    },
    TIMEOUT_MS,
  );
});

describe("a measurement at several sizes", () => {
  test(
    "has a point for each size",
    async () => {
      await using served = await serveHttp("json");
      const request = { kind: "memory", client: "hand-written", server: served.server } as const;
      const sessions = await measureSeries({ ...request, of: "sessions", counts: [1, 2, 4] }, options);
      expect(sessions.map(({ at }) => at)).toEqual([1, 2, 4]);
      const tools = await measureSeries({ ...request, of: "tools", counts: [500] }, options);
      expect(tools).toEqual([
        { at: 500, figures: { toolsMib: expect.any(Number), residentMib: expect.any(Number) } },
      ]);
    },
    TIMEOUT_MS,
  );

  test(
    "ends before the first size that the client cannot handle",
    async () => {
      const request = { kind: "curve", client: "raw-sdk", server: stdioServer("server") } as const;
      const sizes = [1_000, 10_000, 2 ** 30]; // longer than a text can be, so the server dies of it
      const points = await measureSeries({ ...request, of: "bytes", sizes }, options);
      expect(points.map(({ at }) => at)).toEqual([1_000, 10_000]);
    },
    TIMEOUT_MS,
  );
});
