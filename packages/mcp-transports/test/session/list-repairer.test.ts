import type { JsonObject, Logger } from "@jackfield/mcp-core";
import { silentLogger } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { loadSdk } from "../../src/sdk.ts";
import { isPlainAnswerTo } from "../../src/session/keeping-schema.ts";
import { createListRepairer } from "../../src/session/list-repairer.ts";
import { variants } from "./variants.ts";

const GOOD = { name: "good", inputSchema: { type: "object" } };
const LOOK = {
  name: "look",
  title: "Look",
  description: "Looks.",
  inputSchema: { type: "object", properties: {}, required: ["a"] },
  outputSchema: { type: "object" },
  annotations: { readOnlyHint: true },
  execution: { taskSupport: "optional" },
  icons: [{ src: "a.png" }],
  _meta: { a: 1 },
};
const TOOLS = { method: "tools/list" };

const repairer = (log: Logger = silentLogger) =>
  createListRepairer({ serverLog: { server: "odd", log }, getSdk: loadSdk });
const repair = (list: object) => repairer()(TOOLS, list as JsonObject);

describe("a tool that is as good as whole", () => {
  test.each<[string, object, object]>([
    ["nothing of its parameters", { inputSchema: {} }, { inputSchema: { type: "object" } }],
    [
      "no type of its parameters",
      { inputSchema: { properties: { a: {} } } },
      { inputSchema: { properties: { a: {} }, type: "object" } },
    ],
    [
      "where its parameters are described",
      { inputSchema: { $ref: "#/$defs/a", $defs: { a: { type: "object" } } } },
      { inputSchema: { $ref: "#/$defs/a", $defs: { a: { type: "object" } }, type: "object" } },
    ],
    [
      "that there may be no arguments",
      { inputSchema: { type: ["object", "null"] } },
      { inputSchema: { type: "object" } },
    ],
    ["a number for a dialect", { inputSchema: { $schema: 4, type: "object" } }, {}],
    [
      "what it has not got",
      { description: null, annotations: null, inputSchema: { type: "object", required: null } },
      { inputSchema: { type: "object" } },
    ],
    ["another way to be carried out", { execution: { taskSupport: "deferred" } }, {}],
    ["a way to be carried out in words", { execution: "remote" }, {}],
  ])("and says %s is completed", async (_, said, meant) => {
    const given = { tools: [GOOD, { ...GOOD, ...said }] };
    const copy = structuredClone(given);
    const list = await repair(given);
    expect(list).toEqual({ tools: [GOOD, { ...GOOD, ...meant }] });
    expect(isPlainAnswerTo("tools/list")(list)).toBe(true);
    expect(given).toEqual(copy);
  });
});

test("what has one meaning in a tool has none in a prompt, which keeps it", async () => {
  const kept = { name: "p", inputSchema: {}, execution: "x" };
  const list = { prompts: [{ ...kept, title: null }], nextCursor: null };
  expect(await repairer()({ method: "prompts/list" }, list)).toEqual({ prompts: [kept] });
});

test("an answer to anything else stays as it is", async () => {
  for (const method of ["tools/call", "resources/read", "ping"]) {
    const answer = { tools: [{}] };
    expect(await repairer()({ method }, answer)).toBe(answer);
  }
});

describe("a tool that is no good", () => {
  test.each<[string, unknown]>([
    ["no name", { inputSchema: { type: "object" } }],
    ["no parameters", { name: "bad" }],
    ["parameters that are a list", { name: "bad", inputSchema: [] }],
    ["parameters that are a text", { name: "bad", inputSchema: { type: "string" } }],
    ["a description in parts", { ...GOOD, description: ["a"] }],
    ["nothing", null],
  ])("because it has %s is left out and told of, and no other", async (_, tool) => {
    const log = vi.fn();
    const list = await repairer(log)(TOOLS, { tools: [GOOD, tool, LOOK], ttlMs: 5 });
    expect(list).toEqual({ tools: [GOOD, LOOK], ttlMs: 5 });
    const fields = {
      server: "odd",
      method: "tools/list",
      count: 1,
      items: expect.stringContaining(" because of "),
    };
    expect(log.mock.calls).toEqual([["warn", expect.any(String), fields]]);
  });

  test("is not left out of a list in which there would be nothing else", async () => {
    const list = { tools: [{ name: "bad" }] };
    expect(await repair(list)).toEqual(list);
    expect(await repairer()({ ...TOOLS, cursor: "2" }, list)).toEqual({ tools: [] });
    expect(await repair({ ...list, nextCursor: "2" })).toEqual({ tools: [], nextCursor: "2" });
  });

  test("is told of once, on whichever page of the list it stands", async () => {
    const log = vi.fn();
    const repair = repairer(log);
    for (const page of ["1", "2", "1", "2"]) {
      const bad = { name: `bad ${page}` };
      await repair({ ...TOOLS, cursor: page }, { tools: [GOOD, bad] });
    }
    expect(log).toHaveBeenCalledTimes(2);
  });

  test("is one of many, of which a few are named, each on one line and not at any length", async () => {
    const log = vi.fn();
    const bad = Array.from({ length: 1000 }, () => ({ name: `\n\u001B[2J${"x".repeat(100_000)}` }));
    await repairer(log)(TOOLS, { tools: [GOOD, ...bad] });
    const [, , { count, items }] = log.mock.calls[0] as [string, string, { count: number; items: string }];
    expect(count).toBe(1000);
    expect(items.length).toBeLessThan(3000);
    expect(items).toMatch(/^[\x20-\x7E]+$/);
  });
});

test("whatever is wrong with a tool, what is left is a good list, and what was good stays as it was", async () => {
  const sdk = await loadSdk();
  const isGood = async (list: unknown) =>
    (await sdk.specTypeSchemas.ListToolsResult["~standard"].validate(list)).issues === undefined;
  const wrong: unknown[] = [];
  for (const tool of variants(LOOK)) {
    const given = { tools: [GOOD, tool] };
    const left = await repair(given);
    if (await isGood(given)) expect(left).toEqual(given);
    if (!(left.tools as unknown[]).includes(GOOD) || !(await isGood(left))) wrong.push(tool);
  }
  expect(wrong).toEqual([]);
});
