import { describe, expect, test } from "vitest";
import { parseApprovalRule } from "../../src/approval/approval-rule.ts";
import { offeredTool } from "../tool-fixture.ts";

const tool = (name: string) => offeredTool({ name });

describe("approval rules", () => {
  test.each([
    ["always", true],
    [true, true],
    ["never", false],
    [false, false],
  ])("%j decides for every tool", (rule, needed) => {
    expect(parseApprovalRule(rule)(tool("any"))).toBe(needed);
  });

  test("a map decides by name, and a tool it does not name needs approval", () => {
    const rule = parseApprovalRule({ read: "never", write: "always", list: false, remove: true });
    expect(["read", "write", "list", "remove", "other"].map((name) => rule(tool(name)))).toEqual([
      false,
      true,
      false,
      true,
      true,
    ]);
  });

  test("a map may name tools called always and never", () => {
    const rule = parseApprovalRule({ always: "never", never: true });
    expect([rule(tool("always")), rule(tool("never"))]).toEqual([false, true]);
  });

  test("lists decide by name, and an unlisted tool needs approval", () => {
    const rule = parseApprovalRule({ always: { toolNames: ["write"] }, never: { toolNames: ["read"] } });
    expect(["read", "write", "other"].map((name) => rule(tool(name)))).toEqual([false, true, true]);
  });

  test.each([
    [{ readOnlyHint: true }, false],
    [{ destructiveHint: false, openWorldHint: false }, false],
    [{ destructiveHint: false }, true],
    [{}, true],
    [undefined, true],
  ])("the annotations rule decides for annotations %j", (annotations, needed) => {
    expect(parseApprovalRule("annotations")(offeredTool({ annotations }))).toBe(needed);
  });

  test.each([
    [undefined],
    [null],
    ["nevr"],
    [1],
    [[]],
    [{ read: "nevr" }],
    [{ read: null }],
    [{ always: { toolNames: ["a"] }, other: { toolNames: [] } }],
    [{ always: { toolNames: ["a"] }, never: { toolNames: ["a"] } }],
    [{ never: { toolNames: [1] } }],
    [{ never: { toolNames: "read" } }],
    [{ never: { tool_names: ["read"] } }],
    [{ never: { toolNames: ["read"], extra: 1 } }],
    [{ read: { toolNames: [] } }],
    [{ read: () => false }],
    [{ read: 1n }],
  ])("[T40] the malformed rule %o is refused", (rule) => {
    expect(() => parseApprovalRule(rule)).toThrowError(
      expect.objectContaining({ code: "MCP_CONFIG_INVALID" }),
    );
  });

  test("a tool called constructor is not looked up on the prototype of a map", () => {
    expect(parseApprovalRule({ read: "never" })(tool("constructor"))).toBe(true);
  });
});
