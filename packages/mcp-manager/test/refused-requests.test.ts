import { type CallOptions, type JsonObject, McpError, type ToolRef } from "@jackfield/mcp-core";
import { createFakeSession } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import type { McpManager } from "../src/index.ts";
import { createFixture, tool } from "./manager-fixture.ts";

type Options = { readonly timeoutMs?: number; readonly signal?: AbortSignal };

/** Every request and operation that takes a time limit. */
const OPERATIONS: readonly [string, (manager: McpManager, options: Options) => Promise<unknown>][] = [
  ["callTool", (manager, options) => manager.callTool("mcp__a__echo", {}, options)],
  ["readResource", (manager, options) => manager.readResource("a", "file:///a", options)],
  ["getPrompt", (manager, options) => manager.getPrompt("a", "review", {}, options)],
  [
    "complete",
    (manager, options) => {
      const argument = { name: "path", value: "r" };
      return manager.complete("a", { ref: { type: "ref/prompt", name: "review" }, argument }, options);
    },
  ],
  ["subscribe", (manager, options) => manager.subscribe("a", "file:///a", () => {}, options)],
  ["reconnect", (manager, options) => manager.reconnect("a", options)],
  ["refreshTools", (manager, options) => manager.refreshTools("a", options)],
];

async function started() {
  const { manager, connector } = createFixture(["a"], { byHand: true });
  const starting = manager.start();
  const capabilities = { tools: {}, prompts: {}, resources: { subscribe: true } };
  const session = (await connector.nextAttempt()).open(
    createFakeSession({ tools: [tool("echo")], handshake: { capabilities } }),
  );
  await starting;
  return { manager, connector, session };
}

describe.each(OPERATIONS)("%s", (_, run) => {
  it.each([Number.NaN, -5, Number.POSITIVE_INFINITY, "1"])(
    "[R45] refuses %o as timeoutMs and sends nothing",
    async (timeoutMs) => {
      const { manager, connector, session } = await started();
      await using _manager = manager;
      await expect(run(manager, { timeoutMs: timeoutMs as number })).rejects.toMatchObject({
        code: "MCP_CONFIG_INVALID",
        outcome: "not-sent",
        message: expect.stringContaining('option "timeoutMs" must be a finite number of at least 0'),
      });
      expect(session.requests).toEqual([]);
      expect(connector.attempts).toHaveLength(1);
    },
  );
});

describe.each(OPERATIONS)("%s", (_, run) => {
  it.each([["x"], [{}], [null], [1n]])("refuses %s as signal and sends nothing", async (signal) => {
    const { manager, connector, session } = await started();
    await using _manager = manager;
    await expect(run(manager, { signal: signal as unknown as AbortSignal })).rejects.toMatchObject({
      code: "MCP_CONFIG_INVALID",
      outcome: "not-sent",
      message: expect.stringContaining('option "signal" must be an AbortSignal'),
    });
    expect(session.requests).toEqual([]);
    expect(connector.attempts).toHaveLength(1);
  });
});

describe.each(OPERATIONS)("%s", (_, run) => {
  it.each([[null], [[]], [1]])("refuses %j as options and sends nothing", async (options) => {
    const { manager, connector, session } = await started();
    await using _manager = manager;
    await expect(run(manager, options as unknown as Options)).rejects.toMatchObject({
      code: "MCP_CONFIG_INVALID",
      message: expect.stringContaining("must be an object"),
    });
    expect(session.requests).toEqual([]);
    expect(connector.attempts).toHaveLength(1);
  });
});

describe("start()", () => {
  it.each([[null], [[]], [1], ["x"]])("refuses %j as options and connects nothing", async (options) => {
    const { manager, connector } = createFixture(["a"]);
    await expect(manager.start(options as never)).rejects.toMatchObject({
      code: "MCP_CONFIG_INVALID",
      message: expect.stringContaining("must be an object"),
    });
    expect(connector.attempts).toEqual([]);
    expect((await manager.start()).ready).toHaveLength(1);
    await manager.close();
  });
});

describe("an invalid call", () => {
  const NONE = { code: "MCP_TOOL_UNKNOWN", phase: "call", outcome: "not-sent" };
  const REFUSED = { code: "MCP_CONFIG_INVALID", phase: "call", outcome: "not-sent" };

  it.each([
    [[undefined], NONE],
    [[null], NONE],
    [[42], NONE],
    [[{ server: "a" }], NONE],
    [["mcp__a__echo", {}, null], REFUSED],
    [["mcp__a__echo", {}, 1], REFUSED],
    [[{ server: "a", tool: "echo" }, {}, null], REFUSED],
  ])("is rejected with an McpError, also by a view: %j", async (given, expected) => {
    const { manager, session } = await started();
    await using _ = manager;
    const call = given as unknown as [ToolRef, JsonObject, CallOptions];
    for (const source of [manager, manager.view({})]) {
      const error = await source.callTool(...call).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(McpError);
      expect(error).toMatchObject(expected);
    }
    expect(session.requests).toEqual([]);
  });
});
