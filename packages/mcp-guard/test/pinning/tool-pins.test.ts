import type { ToolDefinition, ToolDescriptor } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import {
  openToolPins,
  type PinFinding,
  type ToolPins,
  type ToolPinsOptions,
} from "../../src/pinning/tool-pins.ts";
import { memoryStore } from "../memory-store.ts";
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
  test("a server's first list is accepted, and offered unchanged ever after", async () => {
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
      const store = memoryStore();
      const { pins } = await opened({ store });
      await offer(pins, ORIGINAL);
      expect(await offer(pins, { ...ORIGINAL, ...change })).toEqual([]);
      const next = await opened({ store });
      expect(await offer(next.pins, { ...ORIGINAL, ...change })).toEqual([]);
      expect(await offer(next.pins, ORIGINAL)).toEqual(["read_file"]);
    },
  );

  test("a tool that is only added is withheld as well", async () => {
    const { pins, findings } = await opened();
    await offer(pins, ORIGINAL);
    expect(await offer(pins, ORIGINAL, { ...ORIGINAL, name: "delete_all" })).toEqual(["read_file"]);
    expect(findings).toMatchObject([{ tool: "delete_all", state: "new", isWithheld: true, changes: [] }]);
  });

  test("the finding tells what changed, once for each version", async () => {
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

  test("what was approved is offered from then on, also in the next run", async () => {
    const store = memoryStore();
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

  test("require-approval withholds the first list too", async () => {
    const { pins } = await opened({ policy: "require-approval" });
    expect(await offer(pins, ORIGINAL)).toEqual([]);
    expect(await pins.approve("files")).toBe(1);
    expect(await offer(pins, ORIGINAL)).toEqual(["read_file"]);
  });

  test("warn offers and reports; off does neither", async () => {
    const warned = await opened({ policy: "warn" });
    await offer(warned.pins, ORIGINAL);
    expect(await offer(warned.pins, { ...ORIGINAL, title: "x" })).toEqual(["read_file"]);
    expect(warned.findings).toMatchObject([{ state: "changed", isWithheld: false }]);
    const off = await opened({ policy: "off" });
    await offer(off.pins, ORIGINAL);
    expect(await offer(off.pins, { ...ORIGINAL, title: "x" })).toEqual(["read_file"]);
    expect(off.findings).toEqual([]);
  });

  test("a pin that was damaged or forged in the store accepts nothing", async () => {
    const store = memoryStore();
    await offer((await opened({ store })).pins, ORIGINAL);
    const [key = ""] = await store.keys("tool-pin:");
    await store.set(key, '{"name":"read_file","inputSchema":{"type":"object"},"digest":"x"}');
    expect(await offer((await opened({ store })).pins, ORIGINAL)).toEqual([]);
    await store.set(key, "{");
    await store.set("tool-pin:files:other", "null");
    expect(await offer((await opened({ store })).pins, ORIGINAL)).toEqual(["read_file"]);
  });
});
