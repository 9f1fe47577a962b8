import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createInProcessFaultServer, recordStatuses, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { openMcp } from "../src/index.ts";
import { everything } from "./fixture.ts";

useLeakCheck();

const BUILT = fileURLToPath(new URL("../dist/index.js", import.meta.url));

/** Runs a program that uses the built package, and waits until it ends by itself: nothing ends it from outside. */
async function runProgram(body: string) {
  const program = `import { openMcp } from ${JSON.stringify(BUILT)};\nconst everything = ${JSON.stringify(everything)};\n${body}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { stdout, stderr, exitCode };
}

describe("a program", () => {
  it("[R54] ends by itself after mcp.close(), having called real servers", async () => {
    const run = await runProgram(`
      const servers = { one: everything, two: everything, lazy: { ...everything, lazy: true } };
      const mcp = await openMcp({ log: false, cache: false, servers, limits: { idleTimeoutMs: 60_000, toolPollIntervalMs: 60_000 } });
      await mcp.callTool("mcp__one__echo", { message: "hello" });
      await mcp.close();
      console.log("closed");`);
    expect(run).toEqual({ stdout: "closed\n", stderr: "", exitCode: 0 });
  });

  it("ends by itself after close({ drainMs }), once the calls that were under way have ended", async () => {
    const run = await runProgram(`
      const mcp = await openMcp({ log: false, cache: false, servers: { one: everything } });
      await mcp.ready();
      const call = mcp.callTool("mcp__one__echo", { message: "hello" });
      await mcp.close({ drainMs: 60_000 });
      console.log((await call).content[0].text);`);
    expect(run).toEqual({ stdout: "Echo: hello\n", stderr: "", exitCode: 0 });
  });

  it("[R13] ends by itself without a close while a server waits for its next attempt", async () => {
    const run = await runProgram(`
      const servers = { broken: { command: process.execPath, args: ["-e", "process.exit(3)"] } };
      const retry = { initialDelayMs: 3_600_000, maxDelayMs: 3_600_000, jitter: "none" };
      const mcp = await openMcp({ log: false, cache: false, servers, retry });
      console.log(mcp.servers()[0].status);`);
    expect(run).toEqual({ stdout: "backoff\n", stderr: "", exitCode: 0 });
  });
});

describe("a server in this process", () => {
  it("[S11] goes through the same states as any other server", async () => {
    const mcp = await openMcp({
      cache: false,
      servers: { here: { server: () => createInProcessFaultServer({}) } },
    });
    try {
      const statuses = recordStatuses(mcp);
      expect(mcp.report.ready).toMatchObject([{ name: "here", transport: "in-process", status: "ready" }]);
      await mcp.reconnect("here");
      await mcp.close();
      expect(statuses.of("here")).toEqual(["idle", "connecting", "ready", "closing", "closed"]);
    } finally {
      await mcp.close();
    }
  });
});
