import type { ToolDescriptor } from "@jackfield/mcp-core";
import { describe, expect, it } from "vitest";
import { checkArguments } from "../../src/tools/tool-arguments.ts";

function toolThatRequires(required: unknown): ToolDescriptor {
  const definition = { name: "t", inputSchema: { type: "object" as const, required: required as string[] } };
  return {
    name: "mcp__s__t",
    server: "s",
    originalName: "t",
    description: "",
    definition,
    origin: "live",
    requiresApproval: false,
  };
}

describe("the check of arguments", () => {
  it.each([[[]], ["text"], [null], [7], [undefined]])("[T20] refuses %j, which is not an object", (args) => {
    expect(() => checkArguments(toolThatRequires([]), args)).toThrow(
      expect.objectContaining({ code: "MCP_ARGUMENTS_INVALID", outcome: "not-sent", server: "s", tool: "t" }),
    );
  });

  it("[T19] names the missing arguments in alphabetical order", () => {
    expect(() => checkArguments(toolThatRequires(["path", "content", "mode"]), { mode: 1 })).toThrow(
      'missing required argument "content", "path"',
    );
  });

  it("counts undefined as missing, but null, an empty string and false as given", () => {
    expect(() => checkArguments(toolThatRequires(["a"]), { a: undefined })).toThrow();
    expect(() =>
      checkArguments(toolThatRequires(["a", "b", "c"]), { a: null, b: "", c: false }),
    ).not.toThrow();
  });

  it.each([
    [
      "a getter that throws",
      {
        get path() {
          throw new Error("from a getter");
        },
      },
    ],
    [
      "a revoked proxy",
      (() => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      })(),
    ],
  ])("refuses arguments that cannot be read: %s", (_title, args) => {
    expect(() => checkArguments(toolThatRequires(["path"]), args)).toThrow(
      expect.objectContaining({ code: "MCP_ARGUMENTS_INVALID", outcome: "not-sent" }),
    );
  });

  it("does not count inherited properties as given", () => {
    expect(() => checkArguments(toolThatRequires(["toString"]), {})).toThrow('"toString"');
  });

  it("accepts anything if `required` in the schema is malformed", () => {
    expect(() => checkArguments(toolThatRequires("nonsense"), {})).not.toThrow();
  });
});
