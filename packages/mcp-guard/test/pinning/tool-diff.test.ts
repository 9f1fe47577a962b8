import { describe, expect, test } from "vitest";
import { cleanText } from "../../src/cleaning/clean-text.ts";
import { diffTools, formatChanges, type ToolChange } from "../../src/pinning/tool-diff.ts";
import { type PinnedTool, pinDigest } from "../../src/pinning/tool-pin.ts";
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

  test("a list that becomes an object, or the other way round, is a change of its place", () => {
    const tool = (enumerated: unknown): PinnedTool => ({
      ...before,
      inputSchema: { type: "object", examples: enumerated } as PinnedTool["inputSchema"],
    });
    const path = "/inputSchema/examples";
    const [list, object] = [tool(["x", { b: 1 }]), tool({ 0: "x", 1: { b: 1 } })];
    const [listJson, objectJson] = ['["x",{"b":1}]', '{"0":"x","1":{"b":1}}'];
    expect(diffTools(list, object)).toEqual([{ path, before: listJson, after: objectJson }]);
    expect(diffTools(object, list)).toEqual([{ path, before: objectJson, after: listJson }]);
  });

  test("a value that gets parts, or loses them, is gone as a whole and new part by part", () => {
    const tool = (type: unknown): PinnedTool => ({
      ...before,
      inputSchema: { type: "object", properties: { x: { type } } } as PinnedTool["inputSchema"],
    });
    const path = "/inputSchema/properties/x/type";
    expect(diffTools(tool("string"), tool(["string", "null"]))).toEqual([
      { path, before: "string", after: undefined },
      { path: `${path}/0`, before: undefined, after: "string" },
      { path: `${path}/1`, before: undefined, after: "null" },
    ]);
    expect(diffTools(tool(["string"]), tool("string"))).toEqual([
      { path: `${path}/0`, before: "string", after: undefined },
      { path, before: undefined, after: "string" },
    ]);
  });

  test("members that every object inherits are compared as well", () => {
    const tool = (members: string): PinnedTool => ({
      ...before,
      inputSchema: JSON.parse(`{"type": "object", "properties": {${members}}}`),
    });
    expect(diffTools(tool('"__proto__": 1'), tool('"toString": {}'))).toEqual([
      { path: "/inputSchema/properties/__proto__", before: "1", after: undefined },
      { path: "/inputSchema/properties/toString", before: undefined, after: "{}" },
    ]);
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
    const digest = (definition: object) => pinDigest(offeredTool(definition));
    const schema = { type: "object", properties: { a: {}, b: {} } };
    const turned = { properties: { b: {}, a: {} }, type: "object" };
    expect(digest({ inputSchema: schema, _meta: { x: 1 } })).toBe(digest({ inputSchema: turned }));
    expect(digest({ inputSchema: schema })).not.toBe(digest({ inputSchema: { ...schema, required: [] } }));
  });
});

describe("a tool made to be expensive", () => {
  /** Work that repeats such a name for every member takes minutes. */
  const LONG_NAME = "k".repeat(1_000_000);
  const tool = (name: string, values: number[]): PinnedTool => ({
    ...before,
    inputSchema: { type: "object", properties: { [name]: { enum: values } } },
  });
  const filled = <T>(count: number, value: T) => Array.from({ length: count }, () => value);

  test("has 1,000 changes listed and the others counted", () => {
    const changesOf = (count: number) => diffTools(tool("x", filled(count, 1)), tool("x", filled(count, 2)));
    expect(changesOf(1000)).toHaveLength(1000);
    expect(changesOf(1000).at(-1)).toEqual({
      path: "/inputSchema/properties/x/enum/999",
      before: "1",
      after: "2",
    });
    expect(changesOf(1001)).toHaveLength(1001);
    expect(changesOf(1001).at(-1)).toEqual({ path: "and 1 more change" });
    expect(formatChanges(changesOf(1500), cleanText)).toMatch(/\n {2}\+ 2\nand 500 more changes$/);
  });

  test("lists what was there before first, also where there are too many changes", () => {
    const changes = diffTools(tool("x", filled(600, 1)), tool("y", filled(600, 1)));
    const isNew = changes.slice(0, 1000).map(({ after }) => after !== undefined);
    expect(isNew).toEqual([...filled(600, false), ...filled(400, true)]);
    expect(changes.at(-1)).toEqual({ path: "and 200 more changes" });
  });

  test("takes linear work when a long name holds many members", () => {
    const changes = diffTools(tool(LONG_NAME, filled(100_000, 1)), tool(LONG_NAME, filled(100_000, 2)));
    expect(changes.at(-1)).toEqual({ path: "and 99000 more changes" });
    expect(Math.max(...changes.map(({ path }) => path.length))).toBeLessThanOrEqual(1000);
    expect(changes[7]?.path).toMatch(/^\/inputSchema\/properties\/k+…k+\/enum\/7$/);
  });

  test("takes linear work when nothing below a long name differs", () => {
    const values = filled(100_000, 1);
    expect(diffTools(tool(LONG_NAME, values), tool(LONG_NAME, structuredClone(values)))).toEqual([]);
  });

  test("has a long name cut between characters", () => {
    const name = `a${"\u{1f600}".repeat(1000)}`;
    const [change] = diffTools(tool(name, [1]), tool(name, [2]));
    expect(change?.path.isWellFormed()).toBe(true);
    const [shifted] = diffTools(tool(`a${name}`, [1]), tool(`a${name}`, [2]));
    expect(shifted?.path.isWellFormed()).toBe(true);
  });
});
