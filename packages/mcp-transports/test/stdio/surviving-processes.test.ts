import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { type ResolvedStdioServer, type Session, silentLogger } from "@jackfield/mcp-core";
import { casesOf } from "@jackfield/test-kit";
import { afterAll, describe, expect, test } from "vitest";
import { createConnector } from "../../src/index.ts";
import { atEnd } from "../cleanup.ts";
import { HOST } from "../host-process.ts";
import { LEGACY_PRIOR } from "../shell-server.ts";

/** In a soak, sessions of each kind and end; otherwise one of the most telling kinds and ends. */
const ROUNDS = casesOf(1, 10).numRuns;
const IS_SOAK = ROUNDS > 1;
const NPX = "/usr/bin/npx";

const STUBBORN = 'trap "" TERM HUP; while :; do sleep 60; done';
const QUIET = "</dev/null >/dev/null 2>&1";

/** Ends when its input ends. `/bin/sh` runs what is in `before` first, and what is in `call` for each call. */
function serving(before: string, call = ""): string {
  const info =
    '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}';
  return `${before}
    while read -r line; do
      id=\${line##*'"id":'}; id=\${id%%[,\\}]*}
      case $line in
        *'"initialize"'*) result='${info}' ;;
        *'"die"'*) kill -9 $$ ;;
        *'"tools/call"'*) ${call} result='{"content":[],"structuredContent":{"pids":[1,2]}}' ;;
        *) continue ;;
      esac
      printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$result"
    done`;
}

/** Starts a daemon, whose parent ends at once. */
const daemon = `setsid sh -c 'sleep 60 & exit' ${QUIET}`;

/** A server as its shell script, and what is started in its place, if it is started by another program. */
interface Kind {
  readonly script: string;
  readonly launch?: ((script: string) => readonly string[]) | undefined;
}

const KINDS: { readonly [name: string]: Kind } = {
  "an ordinary server": { script: serving("") },
  "one that ignores its end": { script: `trap "" TERM HUP; ${serving("")}; ${STUBBORN}` },
  "one behind sh -c": {
    script: serving(""),
    launch: (script) => ["/bin/sh", "-c", '/bin/sh -c "$1"; exit $?', "sh", script],
  },
  "one behind npx": {
    script: serving(""),
    launch: (script) => [NPX, "--offline", "-c", `/bin/sh -c '${script.replaceAll("'", "'\\''")}'`],
  },
  "one behind a launcher that ends": {
    script: serving(""),
    launch: (script) => ["/bin/sh", "-c", 'exec 3<&0; /bin/sh -c "$1" <&3 & exit 0', "sh", script],
  },
  "one with a child": { script: serving(`sleep 60 ${QUIET} &`) },
  "one with a stubborn child": { script: serving(`sh -c '${STUBBORN}' ${QUIET} &`) },
  "one with a child in a session of its own": { script: serving(`setsid sh -c '${STUBBORN}' ${QUIET} &`) },
  "one that starts such a child in a call": { script: serving("", `setsid sh -c '${STUBBORN}' ${QUIET} & `) },
  "one whose child has a child elsewhere": {
    script: serving(`sh -c 'setsid sh -c "sleep 60 & wait" & wait' ${QUIET} &`),
  },
  "one that keeps starting processes": {
    script: serving(`(for _ in $(seq 400); do setsid sleep 60 ${QUIET} & sleep 0.05; done) ${QUIET} &`),
  },
  "one whose child becomes a daemon later": {
    script: serving(`setsid sh -c 'until [ -e go ]; do sleep 0.1; done; sleep 60 & exit' ${QUIET} &`),
  },
  "one with a daemon": { script: serving(daemon) },
  "one that starts a daemon in a call": { script: serving("", `${daemon};`) },
};

/** What no look can show: such a process has left the session, and lost its parent, before anybody looked. */
const BEYOND_SIGHT = new Set([
  "one with a daemon",
  "one that starts a daemon in a call",
  "one that keeps starting processes",
]);

type End = (server: ResolvedStdioServer) => Promise<void>;

const ENDS: { readonly [name: string]: End } = {
  "by close()": async (server) => (await opened(server)).close(),
  "by close(), after a while": async (server) => {
    const session = await opened(server);
    await lookedAt();
    writeFileSync(join(server.cwd ?? "", "go"), "");
    await pause(1000);
    await session.close();
  },
  "by a crash, after a while": async (server) => {
    const session = await opened(server);
    await lookedAt();
    await session.request("tools/call", { name: "die", arguments: {} }).catch(() => {});
    await session.close();
  },
  "with its host": (server) => withHost(server, "exit"),
  "with its host, by a signal": (server) => withHost(server, "stay", "SIGTERM"),
};

/** A tree is looked at a second after the server's first answer. In two steps, because a busy host may be late for both at once. */
async function lookedAt(): Promise<void> {
  await pause(1100);
  await pause(100);
}

async function opened(server: ResolvedStdioServer): Promise<Session> {
  const options = { signal: new AbortController().signal, log: silentLogger, prior: LEGACY_PRIOR };
  const session = await createConnector()(server, { ...options, closeTimeoutMs: 2_500 });
  await session.request("tools/call", { name: "work", arguments: {} });
  return session;
}

async function withHost(server: ResolvedStdioServer, mode: string, signal?: NodeJS.Signals): Promise<void> {
  const host = spawn(process.execPath, ["--no-warnings", HOST, mode, JSON.stringify([server])], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(host, "exit");
  await once(createInterface({ input: host.stdout }), "line");
  if (signal) host.kill(signal);
  await ended;
}

/** The processes that have the mark in their environment. A killed one may need a moment. */
function marked(mark: string): number[] {
  return readdirSync("/proc").filter(hasMark).map(Number);

  function hasMark(pid: string): boolean {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
    } catch {
      return false;
    }
  }
}

let runs = 0;

async function survivorsOf({ script, launch }: Kind, end: End): Promise<number> {
  runs += 1;
  const mark = `JACKFIELD_MARK=${process.pid}-${runs}-`;
  const home = mkdtempSync(join(tmpdir(), "jackfield-survivors-"));
  atEnd(() => rmSync(home, { recursive: true, force: true }));
  const [command = "", ...args] = launch?.(script) ?? ["/bin/sh", "-c", script];
  const env = { PATH: "/usr/bin:/bin", HOME: home, JACKFIELD_MARK: mark.slice("JACKFIELD_MARK=".length) };
  await end({
    transport: "stdio",
    name: "s",
    command,
    args,
    env,
    cwd: home,
    limits: { era: "legacy" },
    secrets: [],
  });
  const until = performance.now() + 1000;
  while (marked(mark).length > 0 && performance.now() < until) await pause(100);
  const left = marked(mark);
  for (const pid of left) process.kill(pid, "SIGKILL");
  return left.length;
}

describe.runIf(process.platform === "linux")("[R03] no process survives a server", () => {
  const table: { [kind: string]: { [end: string]: string } } = {};
  afterAll(() => {
    if (IS_SOAK) process.stdout.write(`${JSON.stringify(table, undefined, 2)}\n`);
  });

  const ends = Object.keys(ENDS).filter((end) => IS_SOAK || !end.includes("host"));
  const kinds = Object.keys(KINDS).filter((kind) =>
    kind.includes("npx") ? IS_SOAK && existsSync(NPX) : IS_SOAK || !BEYOND_SIGHT.has(kind),
  );

  test.each(ends)("that ends %s, unless nobody could see it", async (how) => {
    const left = new Map(kinds.map((kind) => [kind, 0]));
    for (let round = 0; round < ROUNDS; round += 1)
      await Promise.all(
        kinds.map(async (kind) => {
          const survivors = await survivorsOf(KINDS[kind] as Kind, ENDS[how] as End);
          if (survivors > 0) left.set(kind, (left.get(kind) ?? 0) + 1);
        }),
      );
    for (const [kind, count] of left) table[kind] = { ...table[kind], [how]: `${count}/${ROUNDS}` };
    const broken = [...left].filter(([kind, count]) => count > 0 && !BEYOND_SIGHT.has(kind));
    expect(broken).toEqual([]);
  });
});
