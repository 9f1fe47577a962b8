import { describe, expect, it } from "vitest";
import { canonicalJson, type DigestedTool, toolDigest } from "../src/index.ts";

const definition = {
  name: "read",
  description: "Reads",
  inputSchema: { type: "object" as const, required: ["a"] },
};
const tool = (changes: Partial<DigestedTool> = {}): DigestedTool => ({
  server: "files",
  originalName: "read",
  description: "Reads",
  definition,
  ...changes,
});

describe("toolDigest", () => {
  it.each<[string, Partial<DigestedTool>]>([
    ["the server", { server: "other" }],
    ["the original name", { originalName: "write" }],
    ["the description that is shown", { description: "Reads all" }],
    ["the definition's description", { definition: { ...definition, description: "Reads all" } }],
    ["the schema", { definition: { ...definition, inputSchema: { type: "object", required: [] } } }],
    ["the annotations", { definition: { ...definition, annotations: { readOnlyHint: true } } }],
    ["_meta", { definition: { ...definition, _meta: { a: 1 } } }],
    ["a field that is not known yet", { definition: { ...definition, later: true } as never }],
  ])("differs if %s differs", (_what, changes) => {
    expect(toolDigest(tool(changes))).not.toBe(toolDigest(tool()));
  });

  it("does not depend on the object, the order of members, the exposed name or the origin", () => {
    const { name, ...rest } = definition;
    const other = { ...tool({ definition: { ...rest, name } }), name: "exposed", origin: "cache" };
    expect(toolDigest(other)).toBe(toolDigest(tool()));
    expect(toolDigest(tool())).toMatch(/^[0-9a-f]{64}$/);
  });

  it("does not confuse a value that moves from one field into the next", () => {
    const first = tool({ server: "a", originalName: 'b","c' });
    expect(toolDigest(first)).not.toBe(toolDigest(tool({ server: 'a","b', originalName: "c" })));
  });

  it("is one of its own for each descriptor whose definition cannot be written as JSON", () => {
    let deep: object = {};
    for (let depth = 0; depth < 100_000; depth += 1) deep = { deep };
    const first = tool({ definition: { ...definition, _meta: deep as never } });
    expect(toolDigest(first)).toBe(toolDigest(first));
    expect(toolDigest({ ...first })).not.toBe(toolDigest(first));
  });
});

it("canonicalJson orders the members of every object, and keeps the order of lists", () => {
  const value = JSON.parse('{"b":[2,{"d":1,"c":2}],"__proto__":1,"a":null}');
  expect(canonicalJson(value)).toBe('{"__proto__":1,"a":null,"b":[2,{"c":2,"d":1}]}');
});
