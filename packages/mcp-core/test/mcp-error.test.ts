import { describe, expect, it, vi } from "vitest";
import { ERROR_CODES, isMcpError, McpError, toMcpError } from "../src/index.ts";

describe("the one error", () => {
  it("is recognised by its brand, so that another copy of the package recognises it too", async () => {
    vi.resetModules();
    const copy = await import("../src/mcp-error.ts");
    const error = new copy.McpError("MCP_ABORTED", "enough");
    expect(error).not.toBeInstanceOf(McpError);
    expect(isMcpError(error)).toBe(true);
    expect(isMcpError(error, "MCP_ABORTED")).toBe(true);
    expect(isMcpError(error, "MCP_CLOSED")).toBe(false);
  });

  it.each([undefined, null, "MCP_ABORTED", new Error("plain"), { code: "MCP_ABORTED" }])(
    "is not %j",
    (value) => {
      expect(isMcpError(value)).toBe(false);
    },
  );

  it("is not what cannot be asked, such as a proxy that was revoked", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(isMcpError(proxy)).toBe(false);
    expect(toMcpError(proxy, "MCP_INTERNAL", "thrown")).toMatchObject({ code: "MCP_INTERNAL" });
  });

  it("derives whether connecting again may help from its code alone", () => {
    for (const [code, { retryable }] of Object.entries(ERROR_CODES)) {
      expect(new McpError(code as keyof typeof ERROR_CODES, "").retryable).toBe(retryable);
    }
  });

  it("shows what may be shown as JSON: no stack, no cause", () => {
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

  it("[H18] keeps the server's own code apart from an HTTP status", () => {
    const error = new McpError("MCP_TOOL_REJECTED", "no", { rpcCode: -32000, httpStatus: 400 });
    expect(error).toMatchObject({ rpcCode: -32000, httpStatus: 400 });
  });

  it("wraps what is no McpError and keeps what is one", () => {
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
