import type { ChildProcess } from "node:child_process";
import type { McpError, ServerNotification } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { childProcesses } from "../../src/stdio/process-table.ts";
import { connect, failureOf } from "../connecting.ts";
import { expectGone, gone } from "../processes.ts";
import { received, scriptedServer } from "../scripted-server.ts";

const CALL = { name: "echo" };

describe("notifications", () => {
  test("all arrive, including those sent before the first listener", async () => {
    const server = scriptedServer((message, { send, answer }) => {
      if (message.method === "notifications/initialized") {
        send({ method: "notifications/tools/list_changed" });
        send({ method: "notifications/message", params: { level: "info", data: "hello" } });
        send({ method: "vendor/anything", params: { n: 1 } });
      }
      if (message.method === "ping") {
        send({ method: "notifications/resources/updated", params: { uri: "memo://a" } });
        answer({});
        return true;
      }
      return undefined;
    });
    const session = await connect(server);
    await session.list("tools", { signal: new AbortController().signal }); // they have arrived before this
    const early: ServerNotification[] = [];
    session.onNotification((notification) => early.push(notification));
    expect(early).toEqual([
      { method: "notifications/tools/list_changed" },
      { method: "notifications/message", params: { level: "info", data: "hello" } },
      { method: "vendor/anything", params: { n: 1 } },
    ]);
    const late = vi.fn();
    const stop = session.onNotification(late);
    session.onNotification(() => {
      throw new Error("a listener's own fault");
    });
    await session.request("ping", undefined);
    expect(late).toHaveBeenCalledExactlyOnceWith({
      method: "notifications/resources/updated",
      params: { uri: "memo://a" },
    });
    expect(early).toHaveLength(4);
    stop();
    await session.request("ping", undefined);
    expect(late).toHaveBeenCalledTimes(1);
  });

  test("only the first 100 are kept before there is a listener", async () => {
    const server = scriptedServer((message, { send }) => {
      if (message.method === "notifications/initialized")
        for (let n = 0; n < 150; n += 1) send({ method: "vendor/flood", params: { n } });
      return undefined;
    });
    const session = await connect(server);
    await session.request("ping", undefined);
    const kept: ServerNotification[] = [];
    session.onNotification((notification) => kept.push(notification));
    expect(kept).toHaveLength(100);
    expect(kept[99]).toEqual({ method: "vendor/flood", params: { n: 99 } });
  });

  test("arrive from a modern server that was asked for changed lists", async () => {
    const server = scriptedServer(
      (message, { send, answer }) => {
        if (message.method === "subscriptions/listen") {
          const _meta = { "io.modelcontextprotocol/subscriptionId": message.id };
          const { notifications } = message.params;
          send({ method: "notifications/subscriptions/acknowledged", params: { _meta, notifications } });
          send({ method: "notifications/tools/list_changed", params: { _meta } });
          return true;
        }
        if (message.method !== "tools/call") return undefined;
        answer({ content: [] });
        return true;
      },
      { isModern: true, capabilities: { tools: { listChanged: true }, resources: { listChanged: false } } },
    );
    const session = await connect(server);
    const { method } = await new Promise<ServerNotification>((resolve) => session.onNotification(resolve));
    expect(method).toBe("notifications/tools/list_changed");
    const listen = server.received().find((message) => message.method === "subscriptions/listen");
    expect(listen?.params.notifications).toEqual({ toolsListChanged: true });
  });
});

describe("the end of a session", () => {
  test("calls onClose once with exit code and stderr, after pending requests failed", async () => {
    const server = scriptedServer((message, { process }) => {
      if (message.method !== "tools/call") return undefined;
      process.stderr.write("disk full\n");
      process.exit(9);
    });
    const session = await connect(server);
    const events: string[] = [];
    const onClose = vi.fn((_cause?: McpError) => void events.push("closed"));
    session.onClose(onClose);
    session.onClose(() => {
      throw new Error("a listener's own fault");
    });
    const closed = new Promise((resolve) => session.onClose(resolve));
    const calls = [1, 2, 3].map(() =>
      session.request("tools/call", CALL).catch(() => {
        events.push("rejected");
      }),
    );
    await Promise.all([closed, ...calls]);
    expect(events).toEqual(["rejected", "rejected", "rejected", "closed"]);
    expect(onClose.mock.calls).toHaveLength(1);
    expect(onClose.mock.lastCall?.[0]).toMatchObject({
      code: "MCP_SERVER_EXITED",
      server: "scripted",
      stderr: "disk full\n",
      message:
        'Server "scripted" ended with code 9. Its last error output: "disk full". Connect again; if it keeps ending, run its command in a terminal to see why.',
    });
    const late = vi.fn();
    session.onClose(late);
    expect(late).toHaveBeenCalledExactlyOnceWith(onClose.mock.lastCall?.[0]);
    await session.close();
    expect(onClose).toHaveBeenCalledTimes(1);
    expectGone(server.starts());
  });

  test.runIf(process.platform === "linux")(
    "calls onClose in the turn in which the process's end is noticed, if nothing is pending",
    async () => {
      const spawned = vi.spyOn(childProcesses, "spawn");
      const session = await connect(scriptedServer());
      const child = spawned.mock.results.at(-1)?.value as ChildProcess;
      spawned.mockRestore();
      const events: string[] = [];
      session.onClose(() => events.push("closed"));
      const nextTurn = new Promise<void>((resolve) =>
        child.prependOnceListener("exit", () => {
          events.push("exit");
          setImmediate(() => resolve(void events.push("next turn")));
        }),
      );
      child.kill("SIGKILL");
      await nextTurn;
      expect(events).toEqual(["exit", "closed", "next turn"]);
    },
  );

  test("[X12] calls onClose once and without a cause when closed several times", async () => {
    const server = scriptedServer();
    const session = await connect(server);
    const onClose = vi.fn();
    session.onClose(onClose);
    await Promise.all([session.close(), session.close(), session[Symbol.asyncDispose]()]);
    expectGone(server.starts());
    await session.close();
    expect(onClose).toHaveBeenCalledExactlyOnceWith(undefined);
  });

  test("[H3] fails a pending call with an unknown outcome on close()", async () => {
    const server = scriptedServer((message) => message.method === "tools/call");
    const session = await connect(server);
    const failing = failureOf(session.request("tools/call", CALL, { timeoutMs: 0, maxTotalMs: 0 }));
    await received(server, "tools/call");
    await session.close();
    expect(await failing).toMatchObject({ code: "MCP_CLOSED", outcome: "unknown", tool: "echo" });
    expect(server.received().at(-1)?.method).toBe("notifications/cancelled");
  });

  test("fails a call as not sent if the call was not written yet", async () => {
    const server = scriptedServer();
    const session = await connect(server);
    const failing = failureOf(session.request("tools/call", CALL));
    await session.close();
    expect(await failing).toMatchObject({ code: "MCP_CLOSED", outcome: "not-sent", tool: "echo" });
    expect(server.received().at(-1)?.method).toBe("notifications/initialized");
  });

  test("fails later requests as not sent", async () => {
    const session = await connect(scriptedServer());
    await session.close();
    const expected = { code: "MCP_CLOSED", outcome: "not-sent", server: "scripted" };
    expect(await failureOf(session.request("tools/call", CALL))).toMatchObject(expected);
    expect(await failureOf(session.list("tools", { signal: new AbortController().signal }))).toMatchObject(
      expected,
    );
  });

  test("follows an oversized message, with MCP_LIMIT_EXCEEDED", async () => {
    const server = scriptedServer(
      (message, { answer }) => {
        if (message.method !== "tools/call") return undefined;
        answer({ content: [{ type: "text", text: "x".repeat(50_000) }] });
        return true;
      },
      { limits: { maxMessageBytes: 10_000 } },
    );
    const session = await connect(server);
    const closed = new Promise((resolve) => session.onClose(resolve));
    const error = await failureOf(session.request("tools/call", CALL));
    expect(error).toMatchObject({
      code: "MCP_LIMIT_EXCEEDED",
      outcome: "unknown",
      cause: { code: "MCP_LIMIT_EXCEEDED" },
    });
    expect(await closed).toMatchObject({ code: "MCP_LIMIT_EXCEEDED" });
    await session.close();
    expectGone(server.starts());
  });

  test("a server that closes its output but keeps running is ended", async () => {
    const server = scriptedServer((message, { process }) => {
      if (message.method !== "tools/call") return undefined;
      process.stdout.end();
      setInterval(() => {}, 1000);
      return true;
    });
    const session = await connect(server);
    const closed = new Promise((resolve) => session.onClose(resolve));
    expect(await failureOf(session.request("tools/call", CALL))).toMatchObject({
      code: "MCP_OUTCOME_UNKNOWN",
    });
    expect(await closed).toMatchObject({ code: "MCP_SESSION_LOST" });
    await gone(...server.starts());
  });
});
