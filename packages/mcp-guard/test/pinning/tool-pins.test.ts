import type { ToolDefinition, ToolDescriptor } from "@jackfield/mcp-core";
import { memoryStateStore } from "@jackfield/test-kit";
import { describe, expect, test, vi } from "vitest";
import { lockOf } from "../../src/lock/mcp-lock.ts";
import {
  openToolPins,
  type PinFinding,
  type ToolPins,
  type ToolPinsOptions,
} from "../../src/pinning/tool-pins.ts";
import { offeredTool } from "../tool-fixture.ts";

const ORIGINAL: ToolDefinition = {
  name: "read_file",
  title: "Read",
  description: "Reads a file",
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
  outputSchema: { type: "object" },
  annotations: { readOnlyHint: true },
};

/** One byte changed in each pinned field. */
const CHANGED: readonly (readonly [string, Partial<ToolDefinition>])[] = [
  ["title", { title: "Reat" }],
  ["description", { description: "Reads a file." }],
  ["inputSchema", { inputSchema: { type: "object", properties: { path: { type: "strinG" } } } }],
  ["outputSchema", { outputSchema: { type: "objecT" } }],
  ["annotations", { annotations: { readOnlyHint: false } }],
  ["name", { name: "read_filE" }],
];

async function opened(options: ToolPinsOptions = {}) {
  const findings: PinFinding[] = [];
  const pins = await openToolPins({ ...options, found: (finding) => void findings.push(finding) });
  return { pins, findings };
}

/** Judges a whole list, as a registry does: in one go. Later lists come in later turns of the event loop. */
async function offer(pins: ToolPins, ...definitions: ToolDefinition[]): Promise<string[]> {
  const offered = definitions.flatMap((definition) => {
    const judged = pins.policy(offeredTool(definition));
    return "blocked" in judged ? [] : [judged.originalName];
  });
  await pins.saved();
  return offered;
}

describe("pinning tools", () => {
  test("a server's first list is accepted, and an unchanged tool is offered again", async () => {
    const { pins, findings } = await opened();
    expect(await offer(pins, ORIGINAL, { ...ORIGINAL, name: "write_file" })).toEqual([
      "read_file",
      "write_file",
    ]);
    expect(await offer(pins, structuredClone(ORIGINAL))).toEqual(["read_file"]);
    expect(findings).toEqual([]);
  });

  test.each(CHANGED)(
    "[T52] a tool whose %s changed is withheld in this run and in the next",
    async (_field, change) => {
      const store = memoryStateStore();
      const { pins } = await opened({ store });
      await offer(pins, ORIGINAL);
      expect(await offer(pins, { ...ORIGINAL, ...change })).toEqual([]);
      const next = await opened({ store });
      expect(await offer(next.pins, { ...ORIGINAL, ...change })).toEqual([]);
      expect(await offer(next.pins, ORIGINAL)).toEqual(["read_file"]);
    },
  );

  test("a tool added after the first list is withheld", async () => {
    const { pins, findings } = await opened();
    await offer(pins, ORIGINAL);
    expect(await offer(pins, ORIGINAL, { ...ORIGINAL, name: "delete_all" })).toEqual(["read_file"]);
    expect(findings).toMatchObject([{ tool: "delete_all", state: "new", isWithheld: true, changes: [] }]);
  });

  test("a changed tool is reported with its changes once for each version", async () => {
    const { pins, findings } = await opened();
    await offer(pins, ORIGINAL);
    const changed = { ...ORIGINAL, description: "Reads ~/.ssh" };
    await offer(pins, changed);
    await offer(pins, changed);
    expect(findings).toEqual([
      {
        server: "files",
        tool: "read_file",
        state: "changed",
        isWithheld: true,
        changes: [{ path: "/description", before: "Reads a file", after: "Reads ~/.ssh" }],
      },
    ]);
  });

  test("an approved tool is offered in the next run", async () => {
    const store = memoryStateStore();
    const { pins } = await opened({ store });
    const changed = { ...ORIGINAL, description: "better" };
    await offer(pins, ORIGINAL);
    await offer(pins, changed);
    expect(pins.pending().map((tool: ToolDescriptor) => tool.originalName)).toEqual(["read_file"]);
    expect(await pins.approve("files", "read_file")).toBe(1);
    expect(pins.pending()).toEqual([]);
    const next = await opened({ store });
    expect(await offer(next.pins, changed)).toEqual(["read_file"]);
  });

  test("the policy require-approval withholds the first list too", async () => {
    const { pins } = await opened({ policy: "require-approval" });
    expect(await offer(pins, ORIGINAL)).toEqual([]);
    expect(await pins.approve("files")).toBe(1);
    expect(await offer(pins, ORIGINAL)).toEqual(["read_file"]);
  });

  test("the policy warn offers and reports a changed tool, off only offers it", async () => {
    const warned = await opened({ policy: "warn" });
    await offer(warned.pins, ORIGINAL);
    expect(await offer(warned.pins, { ...ORIGINAL, title: "x" })).toEqual(["read_file"]);
    expect(warned.findings).toMatchObject([{ state: "changed", isWithheld: false }]);
    const off = await opened({ policy: "off" });
    await offer(off.pins, ORIGINAL);
    expect(await offer(off.pins, { ...ORIGINAL, title: "x" })).toEqual(["read_file"]);
    expect(off.findings).toEqual([]);
  });

  test("a damaged or forged pin in the store accepts nothing", async () => {
    const store = memoryStateStore();
    await offer((await opened({ store })).pins, ORIGINAL);
    const [key = ""] = await store.keys("tool-pin:");
    await store.set(key, '{"name":"read_file","inputSchema":{"type":"object"},"digest":"x"}');
    expect(await offer((await opened({ store })).pins, ORIGINAL)).toEqual([]);
    await store.set(key, "{");
    await store.set("tool-pin:files:other", "null");
    expect(await offer((await opened({ store })).pins, ORIGINAL)).toEqual([]);
  });

  test("an unreadable store does not prevent the start and is not overwritten", async () => {
    const store = memoryStateStore();
    await offer((await opened({ store })).pins, ORIGINAL);
    const set = vi.fn();
    const log = vi.fn();
    const broken = { ...store, get: () => Promise.reject(new Error("locked")), set };
    const { pins } = await opened({ store: broken, log });
    const changed = { ...ORIGINAL, title: "x" };
    expect(await offer(pins, changed)).toEqual(["read_file"]);
    expect(await offer(pins, ORIGINAL)).toEqual([]);
    expect(set).not.toHaveBeenCalled();
    expect(log).toHaveBeenCalledExactlyOnceWith("error", expect.stringContaining("could not be read"), {
      error: "Error: locked",
    });
    expect(await offer((await opened({ store })).pins, changed)).toEqual([]);
  });

  test("a pin that cannot be stored is logged and holds for this run", async () => {
    const log = vi.fn();
    const store = { ...memoryStateStore(), set: () => Promise.reject(new Error("disk full")) };
    const { pins } = await opened({ store, log });
    expect(await offer(pins, ORIGINAL)).toEqual(["read_file"]);
    expect(await offer(pins, { ...ORIGINAL, title: "x" })).toEqual([]);
    expect(log).toHaveBeenCalledWith("warn", "The pin of a tool could not be stored.", {
      server: "files",
      tool: "read_file",
      error: "Error: disk full",
    });
  });

  test("a store that throws a value without a text is logged like any other", async () => {
    const log = vi.fn();
    const fail = () => Promise.reject(Object.create(null));
    const store = memoryStateStore();
    const unwritable = await opened({ store: { ...store, set: fail }, log });
    expect(await offer(unwritable.pins, ORIGINAL)).toEqual(["read_file"]);
    const unreadable = await opened({ store: { ...store, keys: fail }, log });
    expect(await offer(unreadable.pins, ORIGINAL)).toEqual(["read_file"]);
    expect(log.mock.calls.map(([level, , { error }]) => [level, error])).toEqual([
      ["warn", "a value without a text"],
      ["error", "a value without a text"],
    ]);
  });

  test("a misspelt policy is refused", async () => {
    const policy = "blok" as unknown as ToolPinsOptions["policy"];
    await expect(openToolPins({ policy })).rejects.toMatchObject({ code: "MCP_CONFIG_INVALID" });
  });

  test.each([
    ["throws", () => raise()],
    ["rejects", async () => raise()],
  ])("a listener that %s does not change what is offered", async (_how, found) => {
    const pins = await openToolPins({ policy: "warn", found });
    await offer(pins, ORIGINAL);
    expect(await offer(pins, { ...ORIGINAL, title: "x" })).toEqual(["read_file"]);
  });

  test("only withheld tools of the server's last list are pending", async () => {
    const { pins, findings } = await opened();
    await offer(pins, ORIGINAL);
    for (let round = 0; round < 50; round += 1) await offer(pins, { ...ORIGINAL, name: `tool_${round}` });
    expect(pins.pending().map(({ originalName }) => originalName)).toEqual(["tool_49"]);
    expect(findings).toHaveLength(50);
  });

  test("a locked tool is compared with the lock, not with the store", async () => {
    const tools = [offeredTool(ORIGINAL)];
    const lock = lockOf({ servers: [{ name: "files", toolsFrom: "live" }], tools });
    const store = memoryStateStore();
    await offer((await opened({ store })).pins, { ...ORIGINAL, title: "x" });
    const { pins } = await opened({ lock, store });
    expect(await offer(pins, { ...ORIGINAL, title: "x" })).toEqual([]);
    expect(await offer(pins, ORIGINAL, { ...ORIGINAL, name: "more" })).toEqual(["read_file"]);
  });
});

function raise(): never {
  throw new Error("broken");
}
