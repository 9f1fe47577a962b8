import { createFakeToolSource } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { type AiSdkToolsOptions, aiSdkCallSettings, aiSdkLiveTools, aiSdkTools } from "../src/index.ts";
import { RUNS, scriptedModel } from "./scripted-model.ts";

const named = (name: string) => ({ definition: { name } });

describe.each(RUNS)("a live set in $name", ({ run }) => {
  it("offers and runs in the next step a tool that replaced another during the last one", async () => {
    const source = createFakeToolSource([
      {
        definition: { name: "first" },
        call: () => {
          source.replaceTools([named("late")]);
          return { content: [] };
        },
      },
    ]);
    const { tools, prepareStep } = aiSdkLiveTools(source);
    const model = scriptedModel([
      [{ tool: "mcp__fake__first", input: "{}" }],
      [{ tool: "mcp__fake__late", input: '{"q":1}' }],
      "Done.",
    ]);
    const { text, toModel } = await run(model, tools, { prepareStep });
    const offered = model.calls.map((call) => call.tools?.map(({ name }) => name));
    expect(offered).toEqual([["mcp__fake__first"], ["mcp__fake__late"], ["mcp__fake__late"]]);
    expect(toModel.at(-1)).toEqual({ type: "text", value: '{"q":1}' });
    expect(text).toBe("Done.");
  });
});

describe("a live set", () => {
  it("stops listing a removed tool, but answers a call to it with an error", async () => {
    const source = createFakeToolSource([named("a"), named("b")]);
    const { tools, prepareStep } = aiSdkLiveTools(source);
    source.replaceTools([named("b")]);
    prepareStep();
    expect(Object.entries(tools).map(([name]) => name)).toEqual(["mcp__fake__b"]);
    expect(Object.hasOwn(tools, "mcp__fake__a")).toBe(true);
    expect(await tools.mcp__fake__a?.execute({}, { toolCallId: "1" })).toMatchObject({ isError: true });
    source.replaceTools([named("a"), named("b")]);
    prepareStep();
    expect(Object.keys(tools)).toEqual(["mcp__fake__a", "mcp__fake__b"]);
  });

  it("lists the program's own tool under the name of a removed one", () => {
    const source = createFakeToolSource([named("a"), named("b")]);
    const { tools, prepareStep } = aiSdkLiveTools(source);
    const own = tools.mcp__fake__b;
    if (own === undefined) throw new Error("The tool is missing.");
    source.replaceTools([named("b")]);
    prepareStep();
    tools.mcp__fake__a = own;
    prepareStep();
    expect(Object.keys(tools)).toContain("mcp__fake__a");
    expect(tools.mcp__fake__a).toBe(own);
  });

  it("replaces the source's tools in order and keeps the program's own tool", () => {
    const source = createFakeToolSource([named("b"), named("d")]);
    const { tools, prepareStep } = aiSdkLiveTools(source, { exclude: ["x*"] });
    const own = tools.mcp__fake__b;
    if (own === undefined) throw new Error("The tool is missing.");
    tools.mine = own;
    source.replaceTools([named("a"), named("b"), named("xyz")]);
    expect(Object.keys(tools)).toContain("mcp__fake__d");
    prepareStep();
    expect(Object.keys(tools)).toEqual(["mine", "mcp__fake__a", "mcp__fake__b"]);
    expect(tools.mine).toBe(own);
  });
});

describe.each([aiSdkTools, aiSdkLiveTools, aiSdkCallSettings])("$name", (make) => {
  it.each([{ schemaProfile: "open-ai" }, { include: "x" }, { exclude: [5] }, { approval: "alwyas" }])(
    "throws at once for %j, even without tools",
    (options) => {
      expect(() => make(createFakeToolSource([]), options as unknown as AiSdkToolsOptions)).toThrow(
        expect.objectContaining({ code: "MCP_CONFIG_INVALID" }),
      );
    },
  );
});
