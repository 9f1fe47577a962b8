import { startRealStore } from "@jackfield/test-kit";
import { afterAll, describe, expect, it } from "vitest";
import { type FleetRecord, runFleet } from "./fleet.ts";

/** In the night, 10,000 expiries for each store; JACKFIELD_SEED repeats an earlier run. */
const isSoak = process.env.JACKFIELD_SOAK !== undefined;
const seed = Number(process.env.JACKFIELD_SEED ?? (isSoak ? Date.now() % 2 ** 31 : 20_261_129));
const size = isSoak
  ? { users: 100, rounds: 100, roundsPerKill: 2, roundsPerRestart: 10 }
  : { users: 10, rounds: 12, roundsPerKill: 4, roundsPerRestart: 6 };
/** Processes and a store that start again take a busy machine more than a minute. */
const LIMIT_MS = isSoak ? 3 * 3_600_000 : 300_000;

const redis = await startRealStore("redis");
const postgres = await startRealStore("postgres");
afterAll(async () => {
  await redis?.[Symbol.asyncDispose]();
  await postgres?.[Symbol.asyncDispose]();
});
const STORES = [
  ["Redis", "redis", redis],
  ["Valkey's client", "valkey", redis],
  ["Postgres", "postgres", postgres],
] as const;

describe.each(STORES)("twelve processes on three machines, with their logins in %s", (name, kind, store) => {
  it.skipIf(store === undefined)(
    "[T40] redeem no refresh token twice and lose no family, although processes and the store are killed",
    { timeout: LIMIT_MS },
    async () => {
      if (store === undefined) return;
      const record: FleetRecord = await runFleet({ kind, store, seed, ...size });
      process.stderr.write(`fleet on ${name}, seed ${seed}: ${JSON.stringify(record)}\n`);
      expect(record).toMatchObject({ expiries: size.users * size.rounds, doubleRedemptions: 0 });
      expect(record.redemptions).toBeGreaterThan(record.expiries / 2);
      expect(Object.keys(record.failed).filter((outcome) => !/^MCP_\w+$/.test(outcome))).toEqual([]);
      // What is lost is lost with a process that was killed: no more than the users that it had been asked for.
      expect(record.lostLogins).toBeLessThanOrEqual(record.kills * size.users);
    },
  );
});
