import type { ToolDescriptor } from "@jackfield/mcp-core";
import { describe, expect, it } from "vitest";
import { SortedTools } from "../../src/tools/sorted-tools.ts";
import { tool } from "../manager-fixture.ts";
import { seededRandom } from "./naming-fixture.ts";

const SEED = 11;

function descriptor(name: string): ToolDescriptor {
  const definition = tool(name);
  const shown = { name, server: "s", originalName: name, description: "", definition };
  return { ...shown, origin: "live", requiresApproval: false };
}

describe("sorted tools", () => {
  it(`equal a plain sort after any sequence of changes (seed ${SEED})`, () => {
    const random = seededRandom(SEED);
    const tools = new SortedTools();
    const expected = new Map<string, ToolDescriptor>();
    for (let change = 0; change < 5_000; change += 1) {
      const name = `t${Math.floor(random() * 60)}`;
      const old = expected.get(name);
      if (old !== undefined) tools.remove(old);
      if (old !== undefined && random() < 0.5) expected.delete(name);
      else {
        const added = descriptor(name);
        tools.add(added);
        expected.set(name, added);
      }
      expect(tools.get(name)).toBe(expected.get(name));
      if (random() < 0.7) continue;
      expect(tools.list()).toEqual([...expected.values()].sort((a, b) => (a.name < b.name ? -1 : 1)));
    }
  });

  it("are the same frozen array until something changes", () => {
    const tools = new SortedTools();
    const one = descriptor("one");
    expect(tools.list()).toEqual([]);
    tools.add(one);
    const first = tools.list();
    expect(tools.list()).toBe(first);
    expect(Object.isFrozen(first)).toBe(true);
    tools.remove(one);
    tools.add(one);
    expect(tools.list()).toBe(first);
    tools.remove(one);
    expect(tools.list()).toEqual([]);
  });
});
