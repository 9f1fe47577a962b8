import { experimental_runCodeMode as runCodeMode } from "@ai-sdk/code-mode";
import { McpError } from "@jackfield/mcp-core";
import { toolFunctions } from "@jackfield/mcp-tools";
import { createFakeToolSource, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { aiSdkTools } from "../src/index.ts";

useLeakCheck();

const STOCK = {
  type: "object" as const,
  properties: { units: { type: "number" } },
  required: ["units"],
};

function shop() {
  return createFakeToolSource([
    {
      definition: { name: "stock", outputSchema: STOCK },
      call: ({ id }) => ({
        content: [{ type: "text", text: `${id} has units` }],
        structuredContent: { units: String(id).length },
      }),
    },
    {
      definition: { name: "greet" },
      call: ({ name }) => ({ content: [{ type: "text", text: `Hi ${name}` }] }),
    },
    {
      definition: { name: "order" },
      call: () => ({ content: [{ type: "text", text: "Out of stock." }], isError: true }),
    },
    {
      definition: { name: "ship" },
      call: () => {
        throw new McpError("MCP_CALL_TIMEOUT", 'Server "fake" did not answer.', { outcome: "unknown" });
      },
    },
  ]);
}

/** What code means by its tools: a set of `results: "data"` in a sandbox, and plain functions. */
const WAYS: readonly (readonly [
  string,
  (source: ReturnType<typeof shop>, js: string) => Promise<unknown>,
])[] = [
  [
    "in AI SDK's code mode",
    (source, js) => runCodeMode({ js, tools: aiSdkTools(source, { results: "data" }) as never }),
  ],
  [
    "as functions",
    async (source, js) => {
      const AsyncFunction = (async () => {}).constructor as new (
        ...words: string[]
      ) => (tools: unknown) => unknown;
      return new AsyncFunction("tools", js)(toolFunctions(source));
    },
  ],
];

describe.each(WAYS)("code that a model wrote, with tools %s", (_way, run) => {
  it("gets structured content as data, and else the text", async () => {
    const source = shop();
    const js = `
      const [a, b] = await Promise.all(["x", "abc"].map((id) => tools.mcp__fake__stock({ id })));
      return { units: a.units + b.units, text: await tools.mcp__fake__greet({ name: "Ada" }) };`;
    expect(await run(source, js)).toEqual({ units: 4, text: "Hi Ada" });
    expect(source.calls.map(({ args }) => args)).toEqual([{ id: "x" }, { id: "abc" }, { name: "Ada" }]);
  });

  it.each([
    ["order", "Out of stock."],
    ["ship", "did not answer"],
  ])("can catch what went wrong with %s", async (tool, text) => {
    const js = `
      try { return await tools.mcp__fake__${tool}({}); } catch (error) { return "caught: " + error.message; }`;
    // The sandbox lets no text of an error in.
    expect(await run(shop(), js)).toMatch(new RegExp(`^caught: (?:Host tool failed|.*${text})`));
  });
});
