import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type ResolvedStdioServer, silentLogger } from "@jackfield/mcp-core";
import { expect, test } from "vitest";
import { createConnector } from "../../src/index.ts";
import { atEnd } from "../cleanup.ts";
import { failureOf } from "../connecting.ts";
import { stubborn, stubbornOutside } from "../host-process.ts";
import { expectGone, gone, isRunning, killAtEnd } from "../processes.ts";
import { scriptedServer } from "../scripted-server.ts";

const options = { signal: new AbortController().signal, log: silentLogger };

/** A server that never answers, behind a shell, with a stubborn child in a session of its own. */
function hanging(folder: string, index: number): ResolvedStdioServer {
  const leaf = `trap "" TERM; echo $$ > ${folder}/${index}; while :; do sleep 600; done`;
  return {
    transport: "stdio",
    name: `hanging-${index}`,
    command: "/bin/sh",
    args: ["-c", `setsid sh -c '${leaf}' & while :; do sleep 600; done`],
    env: { PATH: "/usr/bin:/bin" },
    secrets: [],
  };
}

test("[R04] openings that are given up leave nothing behind, neither early nor late", async () => {
  const folder = mkdtempSync(join(tmpdir(), "jackfield-transports-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const controller = new AbortController();
  const connect = createConnector();
  const early = AbortSignal.abort();
  const openings = Array.from({ length: 20 }, (_, index) =>
    failureOf(
      connect(hanging(folder, index), {
        signal: index % 5 === 4 ? early : controller.signal,
        log: silentLogger,
      }),
    ),
  );
  // Some have started all they start, some are about to, some have not begun.
  while ((await readdir(folder)).length < 5) await pause(5);
  controller.abort();
  const errors = await Promise.all(openings);
  expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(["MCP_ABORTED"]));
  const leaves = (await readdir(folder)).map((file) => Number(readFileSync(join(folder, file), "utf8")));
  killAtEnd(...leaves);
  expectGone(leaves);
});

test("[R02] fifty stubborn servers that are closed together are all gone", { timeout: 60_000 }, async () => {
  const connect = createConnector();
  const servers = Array.from({ length: 50 }, (_, index) =>
    scriptedServer(index % 10 === 0 ? stubbornOutside : index % 10 === 5 ? stubborn : stubbornAlone, {
      limits: { connectTimeoutMs: 0 },
    }),
  );
  const sessions = await Promise.all(servers.map((server) => connect(server, options)));
  const answers = await Promise.all(
    sessions.map((session) => session.request("tools/call", { name: "pids", arguments: {} })),
  );
  const pids = answers.flatMap(({ structuredContent }) => (structuredContent as { pids: number[] }).pids);
  killAtEnd(...pids);
  expect(pids).toHaveLength(60);
  expect(pids.every(isRunning)).toBe(true);
  await Promise.all(sessions.map((session) => session.close()));
  expectGone(pids);
});

const stubbornAlone: typeof stubborn = (message, { process, answer }) => {
  if (message.method === "started") {
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 1000);
  }
  if (message.method !== "tools/call") return undefined;
  answer({ content: [], structuredContent: { pids: [process.pid] } });
  return true;
};

test("[R03] a server that dies by itself takes with it a child in another session that was seen before", async () => {
  const directory = mkdtempSync(join(tmpdir(), "jackfield-transports-"));
  atEnd(() => rmSync(directory, { recursive: true, force: true }));
  const session = await createConnector({ processRecord: { directory } })(
    scriptedServer(stubbornOutside),
    options,
  );
  const answer = await session.request("tools/call", { name: "pids", arguments: {} });
  const [server, child] = (answer.structuredContent as { pids: [number, number] }).pids;
  killAtEnd(server, child);
  const written = async () => readFileSync(join(directory, (await readdir(directory))[0] as string), "utf8");
  while (!(await written()).includes(`"pid":${child},`)) await pause(20);
  process.kill(server, "SIGKILL");
  await gone(server, child);
  await session.close();
  expect(await readdir(directory)).toEqual([]);
});
