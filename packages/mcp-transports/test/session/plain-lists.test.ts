import { specTypeSchemas } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { isPlainToolList } from "../../src/session/plain-lists.ts";

const TOOL = { name: "look", inputSchema: { type: "object" } };
const listOf = (members: object) => ({ tools: [TOOL, { ...TOOL, ...members }] });

/** What every answer that is taken for plain has to be as well. */
async function isFoundGood(list: unknown): Promise<boolean> {
  const outcome = await specTypeSchemas.ListToolsResult["~standard"].validate(list);
  return outcome.issues === undefined;
}

describe("a list that needs no schema", () => {
  test.each<[string, unknown]>([
    ["no tools", { tools: [] }],
    ["a tool and a cursor", { tools: [TOOL], nextCursor: "2" }],
    [
      "who gave it",
      { tools: [TOOL], _meta: { "io.modelcontextprotocol/serverInfo": { name: "s", version: "1" } } },
    ],
    ["members of a later revision", { tools: [TOOL], ttlMs: 5, cacheScope: "private", other: [1] }],
    ["texts", listOf({ title: "Look", description: "" })],
    ["hints, and one that nobody knows", listOf({ annotations: { title: "L", readOnlyHint: true, odd: 1 } })],
    [
      "parameters",
      listOf({ inputSchema: { type: "object", properties: { a: { type: "string" } }, required: ["a"] } }),
    ],
    [
      "an odd schema of parameters",
      listOf({ inputSchema: { type: "object", $defs: null, properties: { a: 7 } } }),
    ],
    ["an output schema", listOf({ outputSchema: { $schema: "x", type: "array" } })],
    ["icons", listOf({ icons: [{ src: "a.png" }] })],
    [
      "that it is no task, as every server of the official SDK says",
      listOf({ execution: { taskSupport: "forbidden" } }),
    ],
    ["what the list says about itself", { tools: [TOOL], _meta: { note: 1 } }],
    ["what a tool says about itself", listOf({ _meta: { any: [null] }, unknown: 1 })],
  ])("%s", async (_, list) => {
    expect(isPlainToolList(list)).toBe(true);
    expect(await isFoundGood(list)).toBe(true);
  });
});

describe("a list that the SDK looks at", () => {
  test.each<[string, unknown, { readonly isGood: boolean }]>([
    ["icons that are none", listOf({ icons: ["a.png"] }), { isGood: false }],
    ["an odd way to be carried out", listOf({ execution: { taskSupport: "often" } }), { isGood: false }],
    ["nothing", undefined, { isGood: false }],
    ["a list", [TOOL], { isGood: false }],
    ["no tools", { nextCursor: "2" }, { isGood: false }],
    ["tools that are no list", { tools: { look: TOOL } }, { isGood: false }],
    ["a tool that is none", { tools: [TOOL, null] }, { isGood: false }],
    ["a tool in a list", { tools: [[TOOL]] }, { isGood: false }],
    ["a number for a cursor", { tools: [], nextCursor: 2 }, { isGood: false }],
    ["no cursor by name", { tools: [], nextCursor: null }, { isGood: false }],
    ["a number for a name", listOf({ name: 1 }), { isGood: false }],
    ["a missing name", { tools: [{ inputSchema: TOOL.inputSchema }] }, { isGood: false }],
    ["no title by name", listOf({ title: null }), { isGood: false }],
    ["a description in parts", listOf({ description: ["a"] }), { isGood: false }],
    ["no parameters", { tools: [{ name: "look" }] }, { isGood: false }],
    ["parameters of another type", listOf({ inputSchema: { type: "array" } }), { isGood: false }],
    ["parameters without a type", listOf({ inputSchema: {} }), { isGood: false }],
    ["parameters in a list", listOf({ inputSchema: { type: "object", properties: [] } }), { isGood: false }],
    ["one required parameter", listOf({ inputSchema: { type: "object", required: "a" } }), { isGood: false }],
    [
      "numbered parameters",
      listOf({ inputSchema: { type: "object", required: ["a", 1] } }),
      { isGood: false },
    ],
    ["a boolean output schema", listOf({ outputSchema: true }), { isGood: false }],
    ["an output schema of no kind", listOf({ outputSchema: { $schema: 4 } }), { isGood: false }],
    ["hints in a list", listOf({ annotations: [] }), { isGood: false }],
    ["a hint in words", listOf({ annotations: { destructiveHint: "no" } }), { isGood: false }],
    ["a title of hints that is none", listOf({ annotations: { title: 1 } }), { isGood: false }],
    ["a note that is none", listOf({ _meta: "x" }), { isGood: false }],
  ])("%s", async (_, list, { isGood }) => {
    expect(isPlainToolList(list)).toBe(false);
    expect(await isFoundGood(list)).toBe(isGood);
  });
});
