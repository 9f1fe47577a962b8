import { type JsonObject, type Logger, silentLogger } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { ItemReader, loadSdk } from "../../src/protocol/items.ts";
import type { ListMethod } from "../../src/protocol/results.ts";
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
/** Reads pages as one session does. */
function reader(log: Logger = silentLogger) {
  const items = new ItemReader(log);
  return async (list: object, method: ListMethod = "tools/list", isFirst = true) =>
    items.read(method, list as JsonObject, isFirst);
}
const read = (list: object) => reader()(list);

describe("a tool with a repairable definition", () => {
  test.each<[string, object, object]>([
    ["an empty inputSchema", { inputSchema: {} }, { inputSchema: { type: "object" } }],
    [
      "an inputSchema without a type",
      { inputSchema: { properties: { a: {} } } },
      { inputSchema: { properties: { a: {} }, type: "object" } },
    ],
    [
      "an inputSchema that is a reference",
      { inputSchema: { $ref: "#/$defs/a", $defs: { a: { type: "object" } } } },
      { inputSchema: { $ref: "#/$defs/a", $defs: { a: { type: "object" } }, type: "object" } },
    ],
    [
      "an inputSchema that allows null",
      { inputSchema: { type: ["object", "null"] } },
      { inputSchema: { type: "object" } },
    ],
    ["a number as the schema's dialect", { inputSchema: { $schema: 4, type: "object" } }, {}],
    [
      "null for missing members",
      { description: null, annotations: null, inputSchema: { type: "object", required: null } },
      { inputSchema: { type: "object" } },
    ],
    ["an unknown taskSupport", { execution: { taskSupport: "deferred" } }, {}],
    ["a string as execution", { execution: "remote" }, {}],
  ])("is repaired: %s", async (_, said, meant) => {
    const given = { tools: [GOOD, { ...GOOD, ...said }] };
    const copy = structuredClone(given);
    expect(await read(given)).toEqual({ tools: [GOOD, { ...GOOD, ...meant }] });
    expect(given).toEqual(copy);
  });
});

test("a tool that can be called only as a task is left out with one remark, and the others stay", async () => {
  const log = vi.fn();
  const page = { tools: [{ ...GOOD, name: "slow", execution: { taskSupport: "required" } }, GOOD, LOOK] };
  const list = reader(log);
  expect(await list(page)).toEqual({ tools: [GOOD, LOOK] });
  expect(await list(page)).toEqual({ tools: [GOOD, LOOK] });
  expect(log).toHaveBeenCalledExactlyOnceWith("info", expect.stringContaining("only as tasks"), {
    method: "tools/list",
    count: 1,
    items: '"slow"',
  });
});

test("a prompt keeps members that are repaired only in tools", async () => {
  const kept = { name: "p", inputSchema: {}, execution: "x" };
  const list = { prompts: [{ ...kept, title: null }], nextCursor: null };
  expect(await reader()(list, "prompts/list")).toEqual({ prompts: [kept], nextCursor: null });
});

describe("an invalid tool", () => {
  test.each<[string, unknown]>([
    ["no name", { inputSchema: { type: "object" } }],
    ["no inputSchema", { name: "bad" }],
    ["an array as inputSchema", { name: "bad", inputSchema: [] }],
    ["an inputSchema of type string", { name: "bad", inputSchema: { type: "string" } }],
    ["an array as description", { ...GOOD, description: ["a"] }],
    ["null instead of a definition", null],
  ])("with %s is left out and logged, and valid tools stay", async (_, tool) => {
    const log = vi.fn();
    const list = await reader(log)({ tools: [GOOD, tool, LOOK], ttlMs: 5 });
    expect(list).toEqual({ tools: [GOOD, LOOK], ttlMs: 5 });
    const fields = {
      method: "tools/list",
      count: 1,
      items: expect.stringContaining(" because of "),
    };
    expect(log.mock.calls).toEqual([["warn", expect.any(String), fields]]);
  });

  test("fails a list that would otherwise be empty, but no page of a longer one", async () => {
    const list = { tools: [{ name: "bad" }] };
    await expect(read(list)).rejects.toThrow("no item of its list is valid");
    expect(await reader()(list, "tools/list", false)).toEqual({ tools: [] });
    expect(await read({ ...list, nextCursor: "2" })).toEqual({ tools: [], nextCursor: "2" });
  });

  test("is logged once, however often its page is listed", async () => {
    const log = vi.fn();
    const readPage = reader(log);
    for (const page of ["1", "2", "1", "2"])
      await readPage({ tools: [GOOD, { name: `bad ${page}` }] }, "tools/list", false);
    expect(log).toHaveBeenCalledTimes(2);
  });

  test("is logged in few printable characters, even among 1,000 others", async () => {
    const log = vi.fn();
    const bad = Array.from({ length: 1000 }, () => ({ name: `\n\u001B[2J${"x".repeat(100_000)}` }));
    await reader(log)({ tools: [GOOD, ...bad] });
    const [, , { count, items }] = log.mock.calls[0] as [string, string, { count: number; items: string }];
    expect(count).toBe(1000);
    expect(items.length).toBeLessThan(3000);
    expect(items).toMatch(/^[\x20-\x7E]+$/);
  });
});

test("whatever is wrong with a tool, the repaired list is valid; valid lists stay unchanged", async () => {
  const sdk = await loadSdk();
  const isGood = async (list: unknown) =>
    (await sdk.specTypeSchemas.ListToolsResult["~standard"].validate(list)).issues === undefined;
  const wrong: unknown[] = [];
  for (const tool of variants(LOOK)) {
    const given = { tools: [GOOD, tool] };
    const left = await read(given);
    if (await isGood(given)) expect(left).toEqual(given);
    if (!(left.tools as unknown[]).includes(GOOD) || !(await isGood(left))) wrong.push(tool);
  }
  expect(wrong).toEqual([]);
});

test("thousands of invalid items are judged in slices, between which timers run", async () => {
  await loadSdk();
  const tools = Array.from({ length: 5_000 }, (_, index) => ({
    ...GOOD,
    name: `t${index}`,
    description: index,
  }));
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, 1);
  const { tools: good } = await read({ tools: [GOOD, ...tools] });
  clearInterval(timer);
  expect(good).toEqual([GOOD]);
  expect(ticks).toBeGreaterThan(2);
});

test("thousands of valid items of one page are judged in slices, between which other work has its turn", async () => {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => {
    now += 1; // The work is counted, not measured.
    return now;
  });
  const tools = Array.from({ length: 1_000 }, (_, index) => ({ ...GOOD, name: `t${index}` }));
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  expect(await read({ tools })).toEqual({ tools });
  isDone = true;
  vi.restoreAllMocks();
  expect(turns).toBeGreaterThan(200);
});
