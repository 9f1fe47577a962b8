import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type ResolvedStdioServer, silentLogger } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { createConnector } from "../../src/index.ts";
import { atEnd } from "../cleanup.ts";
import { failureOf } from "../connecting.ts";
import { expectGone, isRunning, killAtEnd } from "../processes.ts";
import { LEGACY_PRIOR, pidsOf, stubbornShellServer } from "../shell-server.ts";

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

// Each of these tests waits for seconds.
describe.concurrent("many servers at the same time", () => {
  test("[R04] aborted connects leave no process behind, whenever they are aborted", async () => {
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
    // Some have started all their processes, some are about to, some have not begun.
    while ((await readdir(folder)).length < 5) await pause(5);
    controller.abort();
    const errors = await Promise.all(openings);
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(["MCP_ABORTED"]));
    const leaves = (await readdir(folder)).map((file) => Number(readFileSync(join(folder, file), "utf8")));
    killAtEnd(...leaves);
    expectGone(leaves);
  });

  test("[R02] [R53] closing fifty stubborn servers at once leaves no process behind", async () => {
    const connect = createConnector();
    const servers = Array.from({ length: 50 }, (_, index) =>
      stubbornShellServer(index % 10 === 0 ? "outOfSession" : index % 10 === 5 ? "inSession" : "none"),
    );
    const sessions = await Promise.all(
      servers.map((server) => connect(server, { ...options, prior: LEGACY_PRIOR })),
    );
    const pids = (await Promise.all(sessions.map(pidsOf))).flat();
    killAtEnd(...pids);
    expect(pids).toHaveLength(60);
    expect(pids.every(isRunning)).toBe(true);
    await Promise.all(sessions.map((session) => session.close()));
    expectGone(pids);
  });
});
