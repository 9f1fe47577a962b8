import { McpError, type ToolDescriptor } from "@jackfield/mcp-core";
import { describe, expect, it } from "vitest";
import { isToolGone, keepUncertainty } from "../../src/tools/call-error.ts";

const echo = { server: "a", originalName: "echo" } as ToolDescriptor;
const uncertain = new McpError("MCP_SESSION_LOST", "gone", { outcome: "unknown" });

describe("the error of a failed repetition", () => {
  it("is its own if no earlier attempt may have run, or if it may have run itself", () => {
    const refused = new McpError("MCP_TOOL_REJECTED", "no", { outcome: "rejected" });
    expect(keepUncertainty(refused, undefined, echo)).toBe(refused);
    const late = new McpError("MCP_CALL_TIMEOUT", "late", { outcome: "unknown" });
    expect(keepUncertainty(late, uncertain, echo)).toBe(late);
    const aborted = new McpError("MCP_ABORTED", "aborted", { outcome: "unknown" });
    expect(keepUncertainty(aborted, uncertain, echo)).toBe(aborted);
  });

  it("keeps the unknown outcome of an earlier attempt that may have run", () => {
    const unsent = new McpError("MCP_CONNECT_FAILED", "down", { outcome: "not-sent" });
    expect(keepUncertainty(unsent, uncertain, echo)).toBe(uncertain);
    const aborted = keepUncertainty(new McpError("MCP_ABORTED", "aborted"), uncertain, echo);
    expect(aborted).toMatchObject({
      code: "MCP_ABORTED",
      outcome: "unknown",
      tool: "echo",
      cause: uncertain,
    });
  });
});

describe("isToolGone", () => {
  const rejected = (said: string, rpcCode = -32602) =>
    new McpError("MCP_TOOL_REJECTED", said, { rpcCode, outcome: "rejected" });
  /** As the sessions of this project word it. */
  const refused = (said: string, rpcCode = -32602) =>
    rejected(`Server "a" refused the call of tool "echo" (JSON-RPC error ${rpcCode}): ${said}`, rpcCode);

  it.each([
    [true, refused("Unknown tool: echo")],
    [true, refused("No such tool", -32601)],
    [true, refused("Tool echo not found")],
    [true, rejected("Tool echo not found")],
    [false, refused("user 42 not found")],
    [false, refused('"unknown" is not a colour')],
    [false, rejected("user 42 not found")],
    [false, refused("Unknown tool: echo", -32603)],
    [false, new McpError("MCP_OUTCOME_UNKNOWN", "Unknown tool: echo", { rpcCode: -32602 })],
  ])("is %j by the server's own words: %s", (expected, error) => {
    expect(isToolGone(error)).toBe(expected);
  });
});
