import { describe, expect, test } from "vitest";
import { cleanText } from "../../src/cleaning/clean-text.ts";
import { diffTools, formatChanges, type ToolChange } from "../../src/pinning/tool-diff.ts";
import { type PinnedTool, toolDigest } from "../../src/pinning/tool-digest.ts";
import { offeredTool } from "../tool-fixture.ts";

const before = {
  name: "a",
  description: "one\ntwo",
  inputSchema: {
    type: "object" as const,
    properties: { "x/y": { type: "string" }, gone: {} },
    required: ["x/y"],
  },
};
const after = {
  name: "a",
  description: "one\n2",
  inputSchema: {
    type: "object" as const,
    properties: { "x/y": { type: "number" }, come: {} },
    required: ["x/y"],
  },
};

describe("differences between two versions of a tool", () => {
  test("every changed leaf is named by its path", () => {
    expect(diffTools(before, after)).toEqual([
      { path: "/description", before: "one\ntwo", after: "one\n2" },
      { path: "/inputSchema/properties/gone", before: "{}", after: undefined },
      { path: "/inputSchema/properties/x~1y/type", before: "string", after: "number" },
      { path: "/inputSchema/properties/come", before: undefined, after: "{}" },
    ]);
    expect(diffTools(before, structuredClone(before))).toEqual([]);
  });

  test("a value that changed only its JSON type is shown as JSON on both sides", () => {
    const tool = (value: unknown): PinnedTool => ({
      ...before,
      inputSchema: { type: "object", properties: { x: { default: value } } } as PinnedTool["inputSchema"],
    });
    const path = "/inputSchema/properties/x/default";
    expect(diffTools(tool("1"), tool(1))).toEqual([{ path, before: '"1"', after: "1" }]);
    expect(diffTools(tool(true), tool("true"))).toEqual([{ path, before: "true", after: '"true"' }]);
    expect(diffTools(tool("{}"), tool({}))).toEqual([{ path, before: '"{}"', after: "{}" }]);
    expect(diffTools(tool("null"), tool('"null"'))).toEqual([{ path, before: "null", after: '"null"' }]);
  });

  test("a change of hidden characters alone is shown as escapes", () => {
    const [change] = diffTools(
      { ...before, description: "a b\nc" },
      { ...before, description: "a\u200b b\n\u{e0041}c" },
    );
    expect(formatChanges([change as ToolChange], cleanText)).toBe(
      "/description\n  - a b\n  - c\n  + a\\u{200b} b\n  + \\u{e0041}c",
    );
  });

  test("are formatted as lines", () => {
    expect(formatChanges(diffTools(before, after).slice(0, 2), (text) => text)).toBe(
      "/description\n  - one\n  - two\n  + one\n  + 2\n/inputSchema/properties/gone\n  - {}",
    );
  });

  test("the digest ignores member order and _meta", () => {
    const digest = (definition: object) => toolDigest(offeredTool(definition));
    const schema = { type: "object", properties: { a: {}, b: {} } };
    const turned = { properties: { b: {}, a: {} }, type: "object" };
    expect(digest({ inputSchema: schema, _meta: { x: 1 } })).toBe(digest({ inputSchema: turned }));
    expect(digest({ inputSchema: schema })).not.toBe(digest({ inputSchema: { ...schema, required: [] } }));
  });
});
