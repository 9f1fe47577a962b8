import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { silentLogger } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { createConnector } from "../../src/index.ts";
import { atEnd } from "../cleanup.ts";
import { connect, failureOf } from "../connecting.ts";
import { gone } from "../processes.ts";
import { received, type Script, scriptedServer } from "../scripted-server.ts";
import { LEGACY_PRIOR, shellServerKilledAfter } from "../shell-server.ts";

const NO_DEADLINE = { timeoutMs: 0, maxTotalMs: 0 };
const MEBIBYTE = 1024 * 1024;
const call = (text: string) => ({ name: "echo", arguments: { text } });

/** Stops reading at the first ping, answers it, and reads again when a file of that name appears. */
const deaf: Script = (message, { process, answer }) => {
  if (message.method !== "ping") return undefined;
  process.stdin.pause();
  const { existsSync } = process.getBuiltinModule("node:fs");
  const timer = setInterval(() => {
    if (!existsSync(process.env.WAKE_FILE ?? "")) return;
    clearInterval(timer);
    process.stdin.resume();
  }, 20);
  answer({});
  return true;
};

async function connectDeaf() {
  const folder = mkdtempSync(join(tmpdir(), "jackfield-deaf-"));
  atEnd(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "wake");
  const server = scriptedServer(deaf, { env: { WAKE_FILE: file } });
  const session = await connect(server);
  await session.request("ping", undefined, NO_DEADLINE);
  return { server, session, wake: () => writeFileSync(file, "") };
}

describe("a server that stops reading", () => {
  test("[R13] gets every call in order once it reads again", async () => {
    const { server, session, wake } = await connectDeaf();
    const texts = Array.from({ length: 40 }, (_, n) => `${n}${"x".repeat(100_000)}`);
    const calls = texts.map((text) => session.request("tools/call", call(text), NO_DEADLINE));
    wake();
    const results = await Promise.all(calls);
    expect(results.map(({ content }) => (content[0] as { text: string }).text)).toEqual(
      texts.map((text) => JSON.stringify({ text })),
    );
    const sent = server.received().filter(({ method }) => method === "tools/call");
    expect(sent.map(({ params }) => params.arguments.text)).toEqual(texts);
  });

  test("[R13] times out its calls, and those never written fail as not sent", async () => {
    const { server, session, wake } = await connectDeaf();
    const calls = Array.from({ length: 20 }, (_, n) =>
      session.request("tools/call", call("x".repeat(MEBIBYTE) + n), { timeoutMs: 200 }),
    );
    const errors = await Promise.all(calls.map(failureOf));
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(["MCP_CALL_TIMEOUT"]));
    expect(errors[0]?.outcome).toBe("unknown");
    expect(errors.at(-1)).toMatchObject({
      outcome: "not-sent",
      message: expect.stringContaining("does not read its input; reconnect the server"),
    });
    wake();
    expect(await session.request("ping", undefined, NO_DEADLINE)).toEqual({});
    const sent = server.received().filter(({ method }) => method === "tools/call");
    expect(sent).toHaveLength(errors.filter(({ outcome }) => outcome === "unknown").length);
  });

  test("[R13] has at most 64 MiB queued; further calls fail as not sent", async () => {
    const { session } = await connectDeaf();
    const text = "x".repeat(4 * MEBIBYTE);
    const calls = Array.from({ length: 20 }, () => session.request("tools/call", call(text), NO_DEADLINE));
    const refused = await failureOf(calls.at(-1) as Promise<unknown>);
    expect(refused).toMatchObject({ code: "MCP_LIMIT_EXCEEDED", outcome: "not-sent", tool: "echo" });
    expect(refused.message).toContain("67108864 bytes are already waiting");
    const rest = Promise.all(calls.slice(0, -1).map(failureOf));
    await session.close();
    const outcomes = (await rest).map(({ code, outcome }) => `${code} ${outcome}`);
    expect(outcomes[0]).toBe("MCP_CLOSED unknown");
    expect(new Set(outcomes.slice(1, 15))).toEqual(new Set(["MCP_CLOSED not-sent"]));
  });
});

describe.concurrent("a server that dies or closes its pipes", () => {
  test.runIf(process.platform === "linux")(
    "[R12] gets no call after it has exited, even if its pipes are open",
    async () => {
      const server = scriptedServer((message, { process, answer }) => {
        if (message.method !== "ping") return undefined;
        const { spawn } = process.getBuiltinModule("node:child_process");
        spawn("sleep", ["600"], { stdio: ["ignore", "inherit", "inherit"] });
        answer({});
        setTimeout(() => process.exit(5), 20);
        return true;
      });
      const session = await connect({ ...server, env: { PATH: "/usr/bin:/bin" } });
      await session.request("ping", undefined);
      while (existsSync(`/proc/${server.starts()[0]}`)) await pause(5); // until its end was noticed
      const error = await failureOf(session.request("tools/call", call("a"), NO_DEADLINE));
      expect(error).toMatchObject({ code: "MCP_SESSION_LOST", outcome: "not-sent" });
    },
  );

  test("[R12] fails the call being written and the queued calls if it dies without reading", async () => {
    const server = scriptedServer((message, { process, answer }) => {
      if (message.method !== "ping") return undefined;
      process.stdin.pause();
      answer({});
      setTimeout(() => process.exit(5), 200);
      return true;
    });
    const session = await connect(server);
    await session.request("ping", undefined);
    const calls = Array.from({ length: 3 }, () =>
      failureOf(session.request("tools/call", call("x".repeat(8_000_000)), NO_DEADLINE)),
    );
    const [first, second, third] = await Promise.all(calls);
    expect(first).toMatchObject({ code: "MCP_OUTCOME_UNKNOWN", cause: { code: "MCP_SERVER_EXITED" } });
    for (const error of [second, third])
      expect(error).toMatchObject({ code: "MCP_SESSION_LOST", outcome: "not-sent" });
  });

  test("[R11] loses its session and is ended if it closes its input but keeps running", async () => {
    const server = scriptedServer((message, { process, answer }) => {
      if (message.method !== "ping") return undefined;
      process.stdin.destroy();
      process.getBuiltinModule("node:fs").closeSync(0); // Node.js itself leaves it open
      setInterval(() => {}, 1000);
      answer({});
      return true;
    });
    const session = await connect(server);
    const closed = new Promise((resolve) => session.onClose(resolve));
    await session.request("ping", undefined);
    // The first write may still fit into the pipe.
    for (let n = 0; n < 2; n += 1)
      expect((await failureOf(session.request("tools/call", call("a"), NO_DEADLINE))).code).toMatch(
        /^MCP_(OUTCOME_UNKNOWN|SESSION_LOST)$/,
      );
    expect(await closed).toMatchObject({
      code: "MCP_SESSION_LOST",
      message: 'Server "scripted" closed its standard input but kept running. Connect again.',
    });
    await gone(...server.starts());
  });

  test("[R11] loses its session and is ended if it closes its output but keeps running", async () => {
    const server = scriptedServer((message, { process }) => {
      if (message.method !== "tools/call") return undefined;
      process.stdout.end();
      setInterval(() => {}, 1000);
      return true;
    });
    const session = await connect(server);
    const closed = new Promise((resolve) => session.onClose(resolve));
    expect(await failureOf(session.request("tools/call", call("a"), NO_DEADLINE))).toMatchObject({
      code: "MCP_OUTCOME_UNKNOWN",
      outcome: "unknown",
    });
    expect(await closed).toMatchObject({
      code: "MCP_SESSION_LOST",
      message: 'Server "scripted" closed its standard output but kept running. Connect again.',
    });
    await gone(...server.starts());
  });

  test("[R10] fails each of 1,000 pending calls with an unknown outcome if it crashes", async () => {
    const server = scriptedServer((message, { process }) => {
      if (message.params?.arguments?.text === "last") process.exit(9);
      return message.method === "tools/call";
    });
    const session = await connect(server);
    const calls = Array.from({ length: 1000 }, (_, n) =>
      failureOf(session.request("tools/call", call(n < 999 ? "more" : "last"), NO_DEADLINE)),
    );
    const errors = await Promise.all(calls);
    expect(new Set(errors.map(({ code, outcome }) => `${code} ${outcome}`))).toEqual(
      new Set(["MCP_OUTCOME_UNKNOWN unknown"]),
    );
    expect(errors[0]?.message).toContain("ended with code 9");
  });
});

test("[R11] a server killed after any number of bytes read fails every call", async () => {
  const connect = createConnector();
  const options = { signal: new AbortController().signal, log: silentLogger, prior: LEGACY_PRIOR };
  const cuts = Array.from({ length: 40 }, (_, n) => n * 61);
  const outcomes = await Promise.all(
    cuts.map(async (bytes) => {
      const session = await connect(shellServerKilledAfter(bytes), options).catch((error) => error.code);
      // It was killed before notifications/initialized was written.
      if (session === "MCP_HANDSHAKE_FAILED") return [];
      const calls = Array.from({ length: 20 }, () => session.request("tools/call", call("a"), NO_DEADLINE));
      const errors = await Promise.all(calls.map(failureOf));
      await session.close();
      return errors.map(({ code, outcome }) => `${code} ${outcome}`);
    }),
  );
  expect(outcomes.flat().length).toBeGreaterThan(30 * 20);
  for (const outcome of new Set(outcomes.flat()))
    expect(outcome).toMatch(/^(?:MCP_OUTCOME_UNKNOWN unknown|MCP_SESSION_LOST not-sent)$/);
});

test("arguments that cannot be written as JSON fail the call as not sent", async () => {
  const session = await connect(scriptedServer());
  const error = await failureOf(
    session.request("tools/call", { name: "echo", arguments: { big: 1n as unknown as number } }),
  );
  expect(error).toMatchObject({ code: "MCP_ARGUMENTS_INVALID", outcome: "not-sent", tool: "echo" });
  expect(await session.request("ping", undefined)).toEqual({});
});

test("a call aborted in the same tick is never sent, nor is its cancellation", async () => {
  const server = scriptedServer();
  const session = await connect(server);
  const controller = new AbortController();
  const failing = failureOf(session.request("tools/call", call("a"), { signal: controller.signal }));
  controller.abort();
  expect(await failing).toMatchObject({ code: "MCP_ABORTED", outcome: "not-sent" });
  await session.request("ping", undefined);
  await received(server, "ping");
  expect(server.received().map(({ method }) => method)).toEqual([
    "server/discover",
    "initialize",
    "notifications/initialized",
    "ping",
  ]);
});
