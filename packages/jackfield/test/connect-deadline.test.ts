import { useLeakCheck } from "@jackfield/test-kit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readConnectDeadline } from "../src/connect-deadline.ts";
import { openMcp } from "../src/index.ts";
import { scriptServer } from "./fixture.ts";

useLeakCheck();

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A server that reads on and says nothing. */
const silent = { ...scriptServer("process.stdin.resume()"), connectTimeoutMs: 3_600_000 };

describe("JACKFIELD_TIMEOUT_MS", () => {
  it.each([
    ["1500", 1_500],
    [" 250 ", 250],
    ["0", 0],
    ["", undefined],
  ])("set to %j gives a connect deadline of %s ms", (written, deadlineMs) => {
    const log = vi.fn();
    expect(readConnectDeadline({ JACKFIELD_TIMEOUT_MS: written }, log)).toBe(deadlineMs);
    expect(log).not.toHaveBeenCalled();
  });

  it.each(["soon", "-1", "Infinity", "1e999"])("is ignored with a warning if it is %j", (written) => {
    const log = vi.fn();
    expect(readConnectDeadline({ JACKFIELD_TIMEOUT_MS: written }, log)).toBeUndefined();
    expect(log).toHaveBeenCalledWith("warn", expect.stringContaining("JACKFIELD_TIMEOUT_MS"), { written });
  });

  it("overrides the limits of entries and options, also after a reload", async () => {
    vi.stubEnv("JACKFIELD_TIMEOUT_MS", "200");
    await using mcp = await openMcp({
      servers: { silent },
      limits: { connectTimeoutMs: 3_600_000 },
      discover: false,
      cache: false,
      retry: { maxRetries: 0 },
    });
    const message = expect.stringContaining("200 ms. Raise JACKFIELD_TIMEOUT_MS if it is merely slow");
    expect(mcp.report.failed).toMatchObject([
      { name: "silent", error: { code: "MCP_CONNECT_TIMEOUT", message } },
    ]);
    expect(await mcp.reload()).toMatchObject({ kept: ["silent"], changed: [] });
    await expect(mcp.reconnect("silent")).rejects.toMatchObject({
      message: expect.stringContaining("200 ms"),
    });
  });
});

describe("connectTimeoutMs", () => {
  it("applies if a custom resolver returns no limits", async () => {
    const command = process.execPath;
    const args = ["-e", "process.stdin.resume()"];
    await using mcp = await openMcp({
      servers: { silent: { command, args } },
      resolve: async ({ name }) => ({ name, transport: "stdio", command, args, env: {}, secrets: [] }),
      limits: { connectTimeoutMs: 200 },
      discover: false,
      cache: false,
      retry: { maxRetries: 0 },
    });
    expect(mcp.report.failed).toMatchObject([{ name: "silent", error: { code: "MCP_CONNECT_TIMEOUT" } }]);
  });
});
