import type { JsonObject } from "@jackfield/mcp-core";
import { describe, expect, it } from "vitest";
import { mergeParts } from "../../src/fitting/merged-parts.ts";
import { createChangeReport } from "../../src/schema/schema-change.ts";

describe("merging the parts of a schema", () => {
  it("keeps the first of two contradicting keywords and reports the other", () => {
    const report = createChangeReport();
    const parts: JsonObject[] = [
      { title: "A", required: ["a"], properties: { a: { type: "string" }, b: true } },
      { title: "B", required: ["b", "a"], properties: { a: { minLength: 1 }, b: { type: "null" }, c: {} } },
      { minimum: 1, properties: { a: { type: "number", properties: { d: {} } } } },
      { minimum: 2 },
    ];
    expect(mergeParts(parts, "/p", report)).toEqual({
      title: "A",
      required: ["a", "b"],
      properties: { a: { type: "string", minLength: 1 }, b: true, c: {} },
      minimum: 1,
    });
    expect(report.changes.map(({ pointer, kind, keyword }) => [pointer, kind, keyword])).toEqual([
      ["/p", "removed", "minimum"],
      ["/p/properties/a", "removed", "type"],
    ]);
  });

  it("[T64] reads the properties of a part once, however many parts there are", () => {
    let reads = 0;
    const counted = new Proxy({ first: {} } as JsonObject, {
      ownKeys(target) {
        reads += 1;
        return Reflect.ownKeys(target);
      },
    });
    const others = Array.from({ length: 1_000 }, (_, n) => ({ properties: { [`p${n}`]: {} } }));
    const { properties } = mergeParts([{ properties: counted }, ...others], "", createChangeReport());
    expect(Object.keys(properties as JsonObject)).toHaveLength(1_001);
    expect(reads).toBe(1);
  });
});
