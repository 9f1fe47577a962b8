import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { gone, isRunning } from "../processes.ts";
import { type Script, scriptedServer } from "../scripted-server.ts";

const HOST = fileURLToPath(new URL("../fixtures/host.mjs", import.meta.url));

/** Neither the end of its input nor SIGTERM ends it, and it has a child of the same kind. */
const stubborn: Script = (message, { process, answer }) => {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const state = globalThis as { grandchild?: number | undefined };
  if (message.method === "started") {
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 1000);
    const source = "process.on('SIGTERM',()=>{});process.stdout.write('.');setInterval(()=>{},1000)";
    const child = spawn(process.execPath, ["-e", source], { stdio: ["ignore", "pipe", "ignore"] });
    state.grandchild = child.pid;
  }
  if (message.method !== "tools/call") return undefined;
  answer({ content: [], structuredContent: { pids: [process.pid, state.grandchild] } });
  return true;
};

const started: number[] = [];

afterEach(() => {
  for (const pid of started.splice(0)) if (isRunning(pid)) process.kill(pid, "SIGKILL");
});

async function startHost(mode: string, servers = 1) {
  const definitions = Array.from({ length: servers }, () => scriptedServer(stubborn));
  const args = ["--no-warnings", HOST, mode, JSON.stringify(definitions)];
  const host = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  started.push(host.pid as number);
  const ended = once(host, "close");
  const lines = createInterface({ input: host.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => (await lines.next()).value ?? "";
  const first = await nextLine();
  expect(first).toMatch(/^pids \d+ \d+/);
  const pids = first.slice(5).split(" ").map(Number);
  started.push(...pids);
  return { host, pids, nextLine, ended: async () => (await ended) as [number | null, string | null] };
}

describe("when the host ends, no server outlives it", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "on %s, by which the host still dies",
    async (signal) => {
      const { host, pids, ended } = await startHost("stay");
      host.kill(signal);
      expect(await ended()).toEqual([null, signal]);
      await gone(...pids);
    },
  );

  test("on SIGINT with several connectors in one process", async () => {
    const { host, pids, ended } = await startHost("stay", 2);
    host.kill("SIGINT");
    expect(await ended()).toEqual([null, "SIGINT"]);
    expect(pids).toHaveLength(4);
    await gone(...pids);
  });

  test("on an exit", async () => {
    const { pids, ended } = await startHost("exit");
    expect(await ended()).toEqual([3, null]);
    await gone(...pids);
  });

  test("on an error that nobody catches", async () => {
    const { pids, ended } = await startHost("throw");
    expect(await ended()).toEqual([1, null]);
    await gone(...pids);
  });
});

describe("a host that handles a signal itself", () => {
  test.each(["before", "after"])(
    "%s it connected decides alone what it means, and its servers still answer",
    async (when) => {
      const { host, pids, nextLine, ended } = await startHost(`handle-${when}`);
      host.kill("SIGINT");
      expect(await nextLine()).toBe("handled {}");
      expect(await ended()).toEqual([0, null]);
      await gone(...pids);
    },
  );

  test("through a library that yields like we do dies as it should", async () => {
    const { host, pids, nextLine, ended } = await startHost("yield");
    host.kill("SIGINT");
    expect(await nextLine()).toBe("library");
    expect(await ended()).toEqual([null, "SIGINT"]);
    await gone(...pids);
  });
});

test("a host that closed its sessions ends by itself, without a listener of ours", async () => {
  const { pids, nextLine, ended } = await startHost("close");
  expect(await nextLine()).toBe("listeners 0,0,0,0");
  expect(await ended()).toEqual([0, null]);
  await gone(...pids);
});
