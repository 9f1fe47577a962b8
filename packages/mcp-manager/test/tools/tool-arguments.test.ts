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
  it.each([[[]], ["text"], [null], [7], [undefined]])("[T20] refuses %j, which is no object", (args) => {
    expect(() => checkArguments(toolThatRequires([]), args)).toThrow(
      expect.objectContaining({ code: "MCP_ARGUMENTS_INVALID", outcome: "not-sent", server: "s", tool: "t" }),
    );
  });

  it("[T19] names what is missing, in alphabetical order", () => {
    expect(() => checkArguments(toolThatRequires(["path", "content", "mode"]), { mode: 1 })).toThrow(
      'missing required argument "content", "path"',
    );
  });

  it("counts an argument that is undefined as missing, and one that is null, empty or false as given", () => {
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
      "a proxy that was revoked",
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

  it("is not fooled by what every object inherits", () => {
    expect(() => checkArguments(toolThatRequires(["toString"]), {})).toThrow('"toString"');
  });

  it("lets anything through where the server's schema does not say what it requires", () => {
    expect(() => checkArguments(toolThatRequires("nonsense"), {})).not.toThrow();
  });
});
