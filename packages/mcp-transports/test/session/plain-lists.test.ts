import { specTypeSchemas } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { isPlainToolList } from "../../src/session/plain-lists.ts";

const TOOL = { name: "look", inputSchema: { type: "object" } };
const listOf = (members: object) => ({ tools: [TOOL, { ...TOOL, ...members }] });

/** Every list that counts as plain must pass this too. */
async function isAcceptedBySdk(list: unknown): Promise<boolean> {
  const outcome = await specTypeSchemas.ListToolsResult["~standard"].validate(list);
  return outcome.issues === undefined;
}

describe("a plain list, accepted without the SDK's schema", () => {
  test.each<[string, unknown]>([
    ["no tools", { tools: [] }],
    ["a tool and a cursor", { tools: [TOOL], nextCursor: "2" }],
    [
      "the server's identity",
      { tools: [TOOL], _meta: { "io.modelcontextprotocol/serverInfo": { name: "s", version: "1" } } },
    ],
    ["members of a later revision", { tools: [TOOL], ttlMs: 5, cacheScope: "private", other: [1] }],
    ["a title and a description", listOf({ title: "Look", description: "" })],
    ["annotations, one of them unknown", listOf({ annotations: { title: "L", readOnlyHint: true, odd: 1 } })],
    [
      "an inputSchema",
      listOf({ inputSchema: { type: "object", properties: { a: { type: "string" } }, required: ["a"] } }),
    ],
    ["an odd inputSchema", listOf({ inputSchema: { type: "object", $defs: null, properties: { a: 7 } } })],
    ["an outputSchema", listOf({ outputSchema: { $schema: "x", type: "array" } })],
    ["icons", listOf({ icons: [{ src: "a.png" }] })],
    [
      "taskSupport forbidden, as every server of the official SDK declares",
      listOf({ execution: { taskSupport: "forbidden" } }),
    ],
    ["_meta of the list", { tools: [TOOL], _meta: { note: 1 } }],
    ["_meta of a tool", listOf({ _meta: { any: [null] }, unknown: 1 })],
  ])("%s", async (_, list) => {
    expect(isPlainToolList(list)).toBe(true);
    expect(await isAcceptedBySdk(list)).toBe(true);
  });
});

describe("a list left to the SDK's schema", () => {
  test.each<[string, unknown, { readonly isGood: boolean }]>([
    ["a string as an icon", listOf({ icons: ["a.png"] }), { isGood: false }],
    ["an unknown taskSupport", listOf({ execution: { taskSupport: "often" } }), { isGood: false }],
    ["undefined", undefined, { isGood: false }],
    ["a bare array", [TOOL], { isGood: false }],
    ["missing tools", { nextCursor: "2" }, { isGood: false }],
    ["an object as tools", { tools: { look: TOOL } }, { isGood: false }],
    ["null as a tool", { tools: [TOOL, null] }, { isGood: false }],
    ["an array as a tool", { tools: [[TOOL]] }, { isGood: false }],
    ["a number as nextCursor", { tools: [], nextCursor: 2 }, { isGood: false }],
    ["null as nextCursor", { tools: [], nextCursor: null }, { isGood: false }],
    ["a number as name", listOf({ name: 1 }), { isGood: false }],
    ["a missing name", { tools: [{ inputSchema: TOOL.inputSchema }] }, { isGood: false }],
    ["null as title", listOf({ title: null }), { isGood: false }],
    ["an array as description", listOf({ description: ["a"] }), { isGood: false }],
    ["a missing inputSchema", { tools: [{ name: "look" }] }, { isGood: false }],
    ["an inputSchema of type array", listOf({ inputSchema: { type: "array" } }), { isGood: false }],
    ["an inputSchema without a type", listOf({ inputSchema: {} }), { isGood: false }],
    [
      "an array as properties",
      listOf({ inputSchema: { type: "object", properties: [] } }),
      { isGood: false },
    ],
    ["a string as required", listOf({ inputSchema: { type: "object", required: "a" } }), { isGood: false }],
    [
      "a number in required",
      listOf({ inputSchema: { type: "object", required: ["a", 1] } }),
      { isGood: false },
    ],
    ["a boolean as outputSchema", listOf({ outputSchema: true }), { isGood: false }],
    ["a number as dialect of the outputSchema", listOf({ outputSchema: { $schema: 4 } }), { isGood: false }],
    ["an array as annotations", listOf({ annotations: [] }), { isGood: false }],
    ["a string as destructiveHint", listOf({ annotations: { destructiveHint: "no" } }), { isGood: false }],
    ["a number as annotations.title", listOf({ annotations: { title: 1 } }), { isGood: false }],
    ["a string as _meta", listOf({ _meta: "x" }), { isGood: false }],
  ])("%s", async (_, list, { isGood }) => {
    expect(isPlainToolList(list)).toBe(false);
    expect(await isAcceptedBySdk(list)).toBe(isGood);
  });
});
