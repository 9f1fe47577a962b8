import { resolve } from "node:path";
import type { ToolSource } from "@jackfield/mcp-core";
import { createFakeToolSource, loadReadmeExamples, type ReadmeExamples } from "@jackfield/test-kit";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

/** What the examples of the README and the reference export. */
interface Examples {
  textTools(source: ToolSource): {
    readonly name: string;
    readonly parameters: object;
    run(input: unknown, signal: AbortSignal): Promise<string>;
  }[];
}

let readme: ReadmeExamples<Examples>;
const printed: string[] = [];

beforeAll(async () => {
  const log = vi.spyOn(console, "log").mockImplementation((line: string) => void printed.push(line));
  readme = await loadReadmeExamples<Examples>(resolve(import.meta.dirname, ".."));
  log.mockRestore();
});

afterAll(() => readme[Symbol.dispose]());

describe("the examples of the README and the reference run", () => {
  it("an adapter in one function, which leaves out the excluded tool", async () => {
    const source = createFakeToolSource([
      { definition: { name: "look" } },
      { definition: { name: "delete_all" } },
    ]);
    const tools = readme.exports.textTools(source);
    expect(tools.map(({ name }) => name)).toEqual(["mcp__fake__look"]);
    expect(tools[0]?.parameters).toMatchObject({ type: "object" });
    await tools[0]?.run({ q: 1 }, new AbortController().signal);
    expect(source.calls).toHaveLength(1);
  });

  it("a fitted schema, which prints the documented output", () => {
    expect(printed[0]).toBe('{"type":"object","properties":{"to":{"type":"string"}}}');
    expect(printed.slice(1).join("\n")).toContain("inlined at");
  });
});
