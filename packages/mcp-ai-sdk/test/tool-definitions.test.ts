import { createFakeToolSource, type FakeTool } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { aiSdkTools, type SchemaProfile } from "../src/index.ts";
import { RUNS, scriptedModel } from "./scripted-model.ts";

const TOOLS: readonly FakeTool[] = ["zeta", "alpha"].map((name) => ({
  definition: {
    name,
    title: `The ${name}`,
    description: `Asks ${name}.`,
    annotations: { readOnlyHint: true, title: "Hint" },
    _meta: { "x/y": { z: 1 } },
    inputSchema: {
      type: "object",
      properties: { tags: { type: ["array", "null"], items: { $ref: "#/$defs/tag" } } },
      $defs: { tag: { enum: ["a", "b"] } },
    },
  },
}));

describe.each(RUNS)("in $name", ({ run }) => {
  it.each<SchemaProfile>(["none", "openai", "anthropic", "gemini"])(
    "the same catalog in any order gives the same bytes under %s",
    async (schemaProfile) => {
      const bytes = async (tools: readonly FakeTool[]) => {
        const model = scriptedModel(["Done."]);
        await run(model, aiSdkTools(createFakeToolSource(structuredClone(tools)), { schemaProfile }));
        return JSON.stringify(model.calls[0]?.tools);
      };
      expect(await bytes(TOOLS)).toBe(await bytes(TOOLS.toReversed()));
    },
  );

  it("calls and results carry the tool's metadata, which the model does not see", async () => {
    const model = scriptedModel([[{ tool: "mcp__fake__alpha", input: "{}" }], "Done."]);
    const { parts } = await run(model, aiSdkTools(createFakeToolSource(TOOLS)));
    const metadata = {
      server: "fake",
      tool: "alpha",
      origin: "live",
      title: "The alpha",
      annotations: { readOnlyHint: true, title: "Hint" },
      _meta: { "x/y": { z: 1 } },
    };
    expect(parts).toMatchObject([
      { type: "tool-call", toolMetadata: metadata },
      { type: "tool-result", toolMetadata: metadata },
    ]);
    expect(JSON.stringify(model.calls)).not.toContain("x/y");
  });
});
