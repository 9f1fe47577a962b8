import { McpError } from "@jackfield/mcp-core";
import { stdioDefinition } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { createMcpManager } from "../src/index.ts";
import { resolveOptions } from "../src/options.ts";
import { createFixture } from "./manager-fixture.ts";

const exited = new McpError("MCP_SERVER_EXITED", "unused");

describe("the check of the manager's options", () => {
  const options = { connect: createFixture([]).connector.connect, resolve: () => Promise.reject(exited) };

  it("says that what it refuses is a fault of the configuration", () => {
    const startup = { gateMs: Number.NaN };
    expect(() => createMcpManager({ ...options, servers: [], startup })).toThrow(
      expect.objectContaining({ code: "MCP_CONFIG_INVALID", phase: "config" }),
    );
  });

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY, "1", true, null])(
    "[R45] refuses %o as a time",
    (staleAfterMs) => {
      expect(() =>
        createMcpManager({ ...options, servers: [], startup: { staleAfterMs: staleAfterMs as number } }),
      ).toThrow(expect.objectContaining({ code: "MCP_CONFIG_INVALID" }));
    },
  );

  it("accepts Infinity for gateMs, which only a server's own deadline ends", () => {
    const startup = { gateMs: Number.POSITIVE_INFINITY };
    expect(resolveOptions({ ...options, servers: [], startup }).startup).toMatchObject(startup);
    expect(() => resolveOptions({ ...options, servers: [], startup: { gateMs: Number.NaN } })).toThrow(
      'Option "startup.gateMs" must be a number of at least 0, not NaN.',
    );
  });

  it("says where a wrong option was given", () => {
    expect(() => resolveOptions({ ...options, servers: [], limits: { idleTimeoutMs: -1 } })).toThrow(
      'Option "limits.idleTimeoutMs" must be a finite number of at least 0, not -1.',
    );
  });

  it.each(["", 7, null])("refuses %j as a principal", (principal) => {
    const wrong = { ...options, servers: [], principal: principal as string };
    expect(() => createMcpManager(wrong)).toThrow(expect.objectContaining({ code: "MCP_CONFIG_INVALID" }));
  });

  it.each([1n, { a: 1 }, "mcp"])("refuses %s as a naming strategy", (strategy) => {
    const wrong = { ...options, servers: [], naming: { strategy: strategy as never } };
    expect(() => createMcpManager(wrong)).toThrow(expect.objectContaining({ code: "MCP_CONFIG_INVALID" }));
  });

  it.each([
    [{ strategy: "mcp__server__tools" }, '"naming.strategy" must be "mcp__server__tool"'],
    [{ strategy: 7 }, "not 7"],
    [{ reserved: "search" }, '"naming.reserved"'],
    [{ reserved: [7] }, '"naming.reserved"'],
  ])("refuses %j as naming", (naming, said) => {
    const refusal = { code: "MCP_CONFIG_INVALID", message: expect.stringContaining(said) };
    const wrong = { ...options, servers: [], naming: naming as never };
    expect(() => createMcpManager(wrong)).toThrow(expect.objectContaining(refusal));
  });

  it.each([
    [{ retry: { maxAttempts: 3 } }, 'Option "retry.maxAttempts" does not exist; '],
    [{ retry: { maxRetry: 3 } }, 'did you mean "retry.maxRetries"?'],
    [{ startup: { gate: 3 } }, 'did you mean "startup.gateMs"?'],
    [{ limits: { callTimeout: 3 } }, 'did you mean "limits.callTimeoutMs"?'],
    [{ retry: { heartbeat: { interval: 3 } } }, 'did you mean "retry.heartbeat.intervalMs"?'],
    [{ idleTimeoutMs: 3 }, 'Option "idleTimeoutMs" does not exist; use "limits.idleTimeoutMs".'],
    [{ reties: {} }, 'did you mean "retry"?'],
    [{ naming: { pattern: "tool" } }, "there are reserved, strategy."],
  ])("refuses an option that a group does not have, and names the one that was meant: %j", (given, said) => {
    const refusal = { code: "MCP_CONFIG_INVALID", message: expect.stringContaining(said) };
    const wrong = { ...options, servers: [], ...(given as object) };
    expect(() => createMcpManager(wrong)).toThrow(expect.objectContaining(refusal));
  });

  it("refuses two servers with the same name", () => {
    const servers = [stdioDefinition("twin"), stdioDefinition("twin")];
    expect(() => createMcpManager({ ...options, servers })).toThrow('Two servers are called "twin"');
  });

  it.each([undefined, null, 7, ""])("refuses a server whose name is %j, also in reload()", async (name) => {
    const server = { ...stdioDefinition("a"), name: name as string };
    const refusal = expect.objectContaining({ code: "MCP_CONFIG_INVALID" });
    expect(() => createMcpManager({ ...options, servers: [server] })).toThrow(refusal);
    await expect(createMcpManager({ ...options, servers: [] }).reload([server])).rejects.toEqual(refusal);
  });

  it.each([
    ["failures", { startup: { failures: "Drop" as "drop" } }],
    ["uncached", { startup: { uncached: "never" as "later" } }],
    ["jitter", { retry: { jitter: true as unknown as "full" } }],
  ])("refuses an unknown value of %s and lists the valid ones", (field, wrong) => {
    expect(() => createMcpManager({ ...options, servers: [], ...wrong })).toThrow(
      new RegExp(`${field}" must be "\\w+"(, "\\w+")* or "`),
    );
  });

  it.each([
    ["idleTimeoutMs", { limits: { idleTimeoutMs: -1 } }],
    ["toolPollIntervalMs", { limits: { toolPollIntervalMs: Number.NaN } }],
    ["delaysMs", { retry: { delaysMs: [1, Number.NaN] } }],
    ["maxPerSecond", { retry: { maxPerSecond: 0 } }],
  ])("[R45] refuses an invalid %s", (field, wrong) => {
    expect(() => createMcpManager({ ...options, servers: [], ...wrong })).toThrow(`.${field}"`);
  });

  it.each([
    ["gateMs", { startup: { gateMs: 5n as unknown as number } }],
    ["callTimeoutMs", { limits: { callTimeoutMs: [] as unknown as number } }],
    ["closeTimeoutMs", { limits: { closeTimeoutMs: [1] as unknown as number } }],
    ["maxRetries", { retry: { maxRetries: [3] as unknown as number } }],
    ["delaysMs", { retry: { delaysMs: 5 as unknown as readonly number[] } }],
    ["slowDelaysMs", { retry: { slowDelaysMs: [1n] as unknown as readonly number[] } }],
  ])("refuses a %s of the wrong type", (field, wrong) => {
    const refusal = { code: "MCP_CONFIG_INVALID", message: expect.stringContaining(`.${field}"`) };
    expect(() => createMcpManager({ ...options, servers: [], ...wrong })).toThrow(
      expect.objectContaining(refusal),
    );
  });

  it("accepts lists of delays, also empty ones", () => {
    const retry = { delaysMs: [], slowDelaysMs: [1, 2] };
    expect(resolveOptions({ ...options, servers: [], retry }).retry).toMatchObject(retry);
  });

  it("[H17] merges a retry policy over the defaults, field by field", () => {
    const { retry } = resolveOptions({
      ...options,
      servers: [],
      retry: { maxRetries: 1, factor: undefined },
    });
    expect(retry).toMatchObject({ maxRetries: 1, factor: 2, initialDelayMs: 1_000, jitter: "full" });
  });
});
