import { describe, expect, it, vi } from "vitest";
import { ERROR_CODES, isMcpError, McpError, type McpErrorDetails, toMcpError } from "../src/index.ts";

describe("McpError", () => {
  it("is recognised by isMcpError even from another copy of the package", async () => {
    vi.resetModules();
    const copy = await import("../src/mcp-error.ts");
    const error = new copy.McpError("MCP_ABORTED", "enough");
    expect(error).not.toBeInstanceOf(McpError);
    expect(isMcpError(error)).toBe(true);
    expect(isMcpError(error, "MCP_ABORTED")).toBe(true);
    expect(isMcpError(error, "MCP_CLOSED")).toBe(false);
  });

  it.each([undefined, null, "MCP_ABORTED", new Error("plain"), { code: "MCP_ABORTED" }])(
    "isMcpError is false for %j",
    (value) => {
      expect(isMcpError(value)).toBe(false);
    },
  );

  it("isMcpError is false for a revoked proxy, and toMcpError wraps it", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(isMcpError(proxy)).toBe(false);
    expect(toMcpError(proxy, "MCP_INTERNAL", "thrown")).toMatchObject({ code: "MCP_INTERNAL" });
  });

  it("takes retryable from its code", () => {
    for (const [code, { retryable }] of Object.entries(ERROR_CODES)) {
      expect(new McpError(code as keyof typeof ERROR_CODES, "").retryable).toBe(retryable);
    }
  });

  it("serialises to JSON without its stack and its cause", () => {
    const cause = new Error("with a secret");
    const error = new McpError("MCP_TOOL_REJECTED", "no", { server: "s", tool: "t", rpcCode: -32602, cause });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      code: "MCP_TOOL_REJECTED",
      message: "no",
      server: "s",
      tool: "t",
      rpcCode: -32602,
    });
    expect(error.cause).toBe(cause);
  });

  it("carries every detail it was given, also as JSON", () => {
    const location = { file: "/work/.mcp.json", line: 3 };
    const details: McpErrorDetails = {
      ...{ server: "s", tool: "t", httpStatus: 503, rpcCode: -32000, retryAfterMs: 1_000 },
      phase: "call",
      outcome: "unknown",
      location,
      stderr: "It stopped.",
    };
    const error = new McpError("MCP_SERVER_EXITED", "gone", details);
    expect(error).toMatchObject(details);
    expect(error.toJSON()).toEqual({ code: "MCP_SERVER_EXITED", message: "gone", ...details });
  });

  it.each(["MCP_CONNECT_FAILED", "MCP_CONNECT_TIMEOUT", "MCP_SERVER_EXITED", "MCP_SESSION_LOST"] as const)(
    "says of %s that connecting again may help",
    (code) => {
      expect(new McpError(code, "").retryable).toBe(true);
    },
  );

  it.each(["MCP_CONFIG_INVALID", "MCP_APPROVAL_REQUIRED", "MCP_AUTH_REQUIRED", "MCP_ABORTED"] as const)(
    "says of %s that connecting again does not help",
    (code) => {
      expect(new McpError(code, "").retryable).toBe(false);
    },
  );

  it("[H18] keeps the server's JSON-RPC code apart from the HTTP status", () => {
    const error = new McpError("MCP_TOOL_REJECTED", "no", { rpcCode: -32000, httpStatus: 400 });
    expect(error).toMatchObject({ rpcCode: -32000, httpStatus: 400 });
  });

  it("toMcpError wraps any other error and returns an McpError as it is", () => {
    const ours = new McpError("MCP_CLOSED", "closed");
    expect(toMcpError(ours, "MCP_INTERNAL", "other")).toBe(ours);
    const plain = new Error("plain");
    expect(toMcpError(plain, "MCP_INTERNAL", "other", { server: "s" })).toMatchObject({
      code: "MCP_INTERNAL",
      message: "other",
      server: "s",
      cause: plain,
    });
  });
});
