import { describe, expect, test } from "vitest";
import { diffTools, formatChanges } from "../../src/pinning/tool-diff.ts";
import { toolDigest } from "../../src/pinning/tool-digest.ts";
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
  test("every leaf that differs is named by its place", () => {
    expect(diffTools(before, after)).toEqual([
      { path: "/description", before: "one\ntwo", after: "one\n2" },
      { path: "/inputSchema/properties/gone", before: "{}", after: undefined },
      { path: "/inputSchema/properties/x~1y/type", before: "string", after: "number" },
      { path: "/inputSchema/properties/come", before: undefined, after: "{}" },
    ]);
    expect(diffTools(before, structuredClone(before))).toEqual([]);
  });

  test("they read as lines", () => {
    expect(formatChanges(diffTools(before, after).slice(0, 2), (text) => text)).toBe(
      "/description\n  - one\n  - two\n  + one\n  + 2\n/inputSchema/properties/gone\n  - {}",
    );
  });

  test("the digest does not depend on the order of members, nor on what nobody reads", () => {
    const digest = (definition: object) => toolDigest(offeredTool(definition));
    const schema = { type: "object", properties: { a: {}, b: {} } };
    const turned = { properties: { b: {}, a: {} }, type: "object" };
    expect(digest({ inputSchema: schema, _meta: { x: 1 } })).toBe(digest({ inputSchema: turned }));
    expect(digest({ inputSchema: schema })).not.toBe(digest({ inputSchema: { ...schema, required: [] } }));
  });
});
