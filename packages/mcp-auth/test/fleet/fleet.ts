import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type RealStore, startAuthorizationServer, startProtectedServer } from "@jackfield/test-kit";
import { KeyvPostgres } from "@keyv/postgres";
import KeyvRedis from "@keyv/redis";
import { createOAuth, keyvTokenVault } from "../../src/index.ts";
import { remoteServer } from "../request.ts";

const MACHINE = fileURLToPath(new URL("./fleet-machine.ts", import.meta.url));
/** The clocks of three machines, two minutes apart from end to end. */
const SKEWS_MS = [-60_000, 0, 60_000] as const;
const PROCESSES = 12;
/** How many processes want a user's token at the same moment. */
const CONTENDERS = 4;

export interface FleetOptions {
  readonly kind: "redis" | "valkey" | "postgres";
  readonly store: RealStore;
  readonly seed: number;
  readonly users: number;
  /** All users' tokens expire once in each. */
  readonly rounds: number;
  /** The store is killed and started again once in so many rounds. */
  readonly roundsPerRestart: number;
  /** A process is killed once in so many rounds. */
  readonly roundsPerKill: number;
}

/** What was counted. */
export interface FleetRecord {
  expiries: number;
  redemptions: number;
  /** Refresh tokens that were presented after they had been spent: each has ended its login. */
  doubleRedemptions: number;
  answered: number;
  /** Requests that failed while the store was away, or because a login was lost. */
  failed: { [code: string]: number };
  kills: number;
  restarts: number;
  /** Logins that were lost with a process that was killed while it renewed them; their users have logged in again. */
  lostLogins: number;
}

/** The same numbers from the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Lets the tokens of many users expire, again and again, while twelve processes on three machines use them, processes are killed, and the
 * store is too. The authorization server rotates refresh tokens, and ends a login whose spent token is presented again.
 */
export async function runFleet(options: FleetOptions): Promise<FleetRecord> {
  const { kind, store, seed, users: userCount, rounds, roundsPerKill, roundsPerRestart } = options;
  const random = randomFrom(seed);
  const pick = (below: number) => Math.floor(random() * below);
  const key = randomBytes(32);
  await using authority = await startAuthorizationServer();
  await using guarded = await startProtectedServer({ authorizationServer: authority });
  const adapter = kind === "postgres" ? new KeyvPostgres(store.url) : new KeyvRedis(store.url);
  const vault = keyvTokenVault(adapter, { key });
  await using desk = createOAuth({ vault, authorize: async (url) => void (await fetch(url)) });
  const logIn = (principal: string) => desk.login(remoteServer(guarded.url), { principal });
  const users = Array.from({ length: userCount }, (_, at) => `user-${at}`);
  for (const user of users) await logIn(user);
  const record: FleetRecord = {
    ...{ expiries: 0, redemptions: 0, doubleRedemptions: 0, answered: 0, failed: {} },
    ...{ kills: 0, restarts: 0, lostLogins: 0 },
  };

  const start = async (at: number): Promise<ChildProcess> => {
    const skewMs = String(SKEWS_MS[at % SKEWS_MS.length]);
    const child = fork(MACHINE, [kind, store.url, key.toString("hex"), guarded.url, skewMs], {
      execArgv: [],
    });
    await once(child, "message");
    return child;
  };
  /** Those that serve: one that was killed is missing until its successor is ready. */
  const fleet = new Map<number, ChildProcess>();
  const join = async (at: number) => void fleet.set(at, await start(at));
  const starts: Promise<void>[] = Array.from({ length: PROCESSES }, (_, at) => join(at));
  await Promise.all(starts);
  const ask = async (child: ChildProcess, asked: readonly string[]) => {
    const heard = new AbortController();
    const { signal } = heard;
    const answer = once(child, "message", { signal }).then(
      ([outcomes]) => outcomes as [string, number | string][],
    );
    const end = once(child, "exit", { signal }).then(() => [] as [string, number | string][]);
    answer.catch(() => {});
    end.catch(() => {});
    child.send(asked);
    const outcomes = await Promise.race([answer, end]);
    heard.abort();
    return outcomes;
  };
  try {
    for (let round = 1; round <= rounds; round += 1) {
      authority.office.expireAccessTokens();
      record.expiries += users.length;
      const serving = [...fleet.values()];
      const wanted = serving.map(() => [] as string[]);
      for (const user of users) for (const at of contenders(pick, serving.length)) wanted[at]?.push(user);
      const asking = serving.map((child, at) => ask(child, wanted[at] ?? []));
      const disturbances: Promise<unknown>[] = [];
      if (round % roundsPerKill === 0) {
        const [at, child] = [...fleet][pick(fleet.size)] as [number, ChildProcess];
        const kill = async () => {
          await wait(pick(150));
          const ended = once(child, "exit");
          child.kill("SIGKILL");
          await ended;
          record.kills += 1;
          fleet.delete(at);
          starts.push(join(at));
        };
        disturbances.push(kill());
      }
      if (round % roundsPerRestart === 0) {
        record.restarts += 1;
        disturbances.push(wait(pick(100)).then(() => store.restart(pick(500))));
      }
      const outcomes = (await Promise.all(asking)).flat();
      await Promise.all(disturbances);
      const lost = new Set<string>();
      for (const [user, outcome] of outcomes) {
        if (outcome === 200) record.answered += 1;
        else record.failed[outcome] = (record.failed[outcome] ?? 0) + 1;
        if (outcome === "MCP_AUTH_REQUIRED") lost.add(user);
      }
      for (const user of lost) await logIn(user);
      record.lostLogins += lost.size;
    }
  } finally {
    await Promise.all(starts);
    for (const child of fleet.values()) child.kill("SIGKILL");
    await adapter.disconnect();
  }
  const grants = authority.requestsTo("/token").map(({ parameters }) => parameters.grant_type);
  record.redemptions = grants.filter((grant) => grant === "refresh_token").length;
  record.doubleRedemptions = authority.office.replays;
  return record;
}

/** Different processes, not all of one machine. */
function contenders(pick: (below: number) => number, serving: number): ReadonlySet<number> {
  const first = pick(serving);
  return new Set(Array.from({ length: CONTENDERS }, (_, at) => (first + at) % serving));
}
