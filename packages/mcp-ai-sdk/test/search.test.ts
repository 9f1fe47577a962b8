import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { McpError } from "@jackfield/mcp-core";
import { createFakeToolSource, type FakeTool } from "@jackfield/test-kit";
import * as ai7 from "ai";
import { describe, expect, it } from "vitest";
import { type AiSdkToolsOptions, aiSdkCallSettings, aiSdkLiveTools, aiSdkTools } from "../src/index.ts";
import { RUNS, type Step, scriptedModel } from "./scripted-model.ts";

const named = (name: string, more: Partial<FakeTool> = {}): FakeTool => ({
  ...more,
  definition: {
    name,
    description: `The ${name} tool.`,
    inputSchema: { type: "object", properties: { q: { type: "number" } }, required: ["q"] },
  },
});
const TOOLS = ["delete", "alpha", "beta", "gamma", "zeta"].map((name) => named(name));
const enough = { more: { stopWhen: ai7.isStepCount(8) } };
const calling = (tool: string, input: unknown): Step => [{ tool, input: JSON.stringify(input) }];
const names = (tools: object) => Object.keys(tools);
const offeredIn = (model: ReturnType<typeof scriptedModel>) =>
  model.calls.map((call) => (call.tools ?? []).map(({ name }) => name));

/** Whether every request begins with the bytes of the one before: its tools, and its messages. */
function expectStablePrefix({ calls }: ReturnType<typeof scriptedModel>): void {
  for (const part of ["tools", "prompt"] as const)
    for (const [index, call] of calls.slice(1).entries()) {
      const before = calls[index]?.[part] ?? [];
      expect(JSON.stringify((call[part] ?? []).slice(0, before.length))).toBe(JSON.stringify(before));
    }
}

describe.each(RUNS.filter(({ major }) => major === 7))("search in $name", ({ run }) => {
  it("offers what was found from the next step on, at the end, whatever its name", async () => {
    const source = createFakeToolSource(TOOLS);
    const tools = aiSdkTools(source, { search: "always", sdk: 7, always: ["delete"] });
    const model = scriptedModel([
      calling("search_tools", { query: "zeta" }),
      calling("search_tools", { query: "alpha" }),
      calling("mcp__fake__alpha", { q: 1 }),
      "Done.",
    ]);
    const { text, toModel } = await run(model, tools, enough);
    expect(text).toBe("Done.");
    const before = ["search_tools", "mcp__fake__delete"];
    expect(offeredIn(model)).toEqual([
      before,
      [...before, "mcp__fake__zeta"],
      [...before, "mcp__fake__zeta", "mcp__fake__alpha"],
      [...before, "mcp__fake__zeta", "mcp__fake__alpha"],
    ]);
    expect(toModel[0]).toEqual({
      type: "text",
      value: "- mcp__fake__zeta: The zeta tool.\nYou can call them from your next step on.",
    });
    expect(toModel.at(-1)).toEqual({ type: "text", value: '{"q":1}' });
    expectStablePrefix(model);
  });

  it("leaves a tool in its place that is found and was offered anyway", async () => {
    const tools = aiSdkTools(createFakeToolSource(TOOLS), {
      search: "always",
      sdk: 7,
      always: ["alpha", "zeta"],
    });
    const model = scriptedModel([calling("search_tools", { query: "alpha" }), "Done."]);
    const { toModel } = await run(model, tools, enough);
    expect(offeredIn(model)[1]).toEqual(["search_tools", "mcp__fake__alpha", "mcp__fake__zeta"]);
    expect(toModel[0]).toMatchObject({ value: expect.stringMatching(/^No further tool fits/) });
    expectStablePrefix(model);
  });

  it("tells the model of wrong arguments of the search", async () => {
    const tools = aiSdkTools(createFakeToolSource(TOOLS), { search: "always", sdk: 7 });
    const model = scriptedModel([
      calling("search_tools", { text: "zeta" }),
      calling("search_tools", "zeta"),
      "Done.",
    ]);
    const { text, toModel } = await run(model, tools, enough);
    expect(text).toBe("Done.");
    for (const output of toModel)
      expect(output).toMatchObject({
        type: "error-text",
        value: expect.stringContaining("MCP_ARGUMENTS_INVALID"),
      });
  });

  it("keeps the prefix under the settings of a call, whose order it states", async () => {
    const { tools, toolOrder } = aiSdkCallSettings(createFakeToolSource(TOOLS), { search: "always" });
    const model = scriptedModel([
      calling("search_tools", { query: "zeta" }),
      calling("search_tools", { query: "alpha" }),
      "Done.",
    ]);
    await run(model, tools, { more: { stopWhen: ai7.isStepCount(8), toolOrder } });
    expect(offeredIn(model).at(-1)).toEqual(["search_tools", "mcp__fake__zeta", "mcp__fake__alpha"]);
    expectStablePrefix(model);
  });

  it("keeps the prefix in a live set while a server changes its tools, and beside tools of the program", async () => {
    const source = createFakeToolSource(TOOLS);
    const { tools, prepareStep } = aiSdkLiveTools(source, { search: "always", sdk: 7 });
    const own = tools.mcp__fake__beta;
    if (own !== undefined) tools.own = { ...own, deferLoading: false };
    const model = scriptedModel([
      calling("search_tools", { query: "zeta" }),
      calling("mcp__fake__zeta", { q: 2 }),
      calling("search_tools", { query: "alpha" }),
      "Done.",
    ]);
    const change = (step?: object) => {
      if (model.calls.length === 1) source.replaceTools([...TOOLS.map((tool) => ({ ...tool }))]);
      return prepareStep(step);
    };
    await run(model, tools, { ...enough, prepareStep: change });
    expect(offeredIn(model).at(-1)).toEqual(["search_tools", "own", "mcp__fake__zeta", "mcp__fake__alpha"]);
    expectStablePrefix(model);
  });

  it("offers in the next turn what was found in an earlier one", async () => {
    const source = createFakeToolSource(TOOLS);
    const first = scriptedModel([calling("search_tools", { query: "zeta" }), "Done."]);
    const options: AiSdkToolsOptions = { search: "always", sdk: 7 };
    await run(first, aiSdkTools(source, options), enough);
    const history = [...(first.calls.at(-1)?.prompt ?? []), { role: "user", content: "Do it." }];
    const second = scriptedModel([calling("mcp__fake__zeta", { q: 3 }), "Done."]);
    await run(second, aiSdkTools(source, { ...options, messages: history }), { messages: history });
    expect(offeredIn(second)[0]).toEqual(offeredIn(first)[1]);
    const third = scriptedModel(["Done."]);
    const { tools, prepareStep } = aiSdkLiveTools(source, options);
    await run(third, tools, { messages: history, prepareStep });
    expect(offeredIn(third)[0]).toEqual(offeredIn(first)[1]);
  });
});

describe.each(RUNS)("the three tools in $name", ({ run }) => {
  const options: AiSdkToolsOptions = { search: "always", sdk: 6 };

  it("find, describe and call a tool, with the same tools in every request", async () => {
    const source = createFakeToolSource(TOOLS);
    const tools = aiSdkTools(source, options);
    const model = scriptedModel([
      calling("search_tools", { query: "zeta" }),
      calling("describe_tool", { name: "mcp__fake__zeta" }),
      calling("call_tool", { name: "zeta", arguments: { q: 1 } }),
      "Done.",
    ]);
    const { text, toModel } = await run(model, tools, enough);
    expect(text).toBe("Done.");
    expect(new Set(offeredIn(model).map(String))).toEqual(new Set(["search_tools,describe_tool,call_tool"]));
    expectStablePrefix(model);
    expect(toModel[1]).toMatchObject({ value: expect.stringContaining('"required":["q"]') });
    expect(toModel[2]).toEqual({ type: "text", value: '{"q":1}' });
    expect(source.calls[0]?.tool).toMatchObject({ server: "fake", tool: "zeta" });
    const asked = source.searches.filter(({ query }) => query !== "");
    expect(asked.every(({ options }) => options.warmUp === true)).toBe(true);
  });

  it("answer as the called tool does: with its check of arguments, its error and its outcome", async () => {
    const failing = new McpError("MCP_SERVER_EXITED", "It crashed.", { outcome: "unknown" });
    const source = createFakeToolSource([
      named("zeta", {
        call: () => {
          throw failing;
        },
      }),
    ]);
    const model = scriptedModel([
      calling("call_tool", { name: "mcp__fake__zeta", arguments: { q: "one" } }),
      calling("call_tool", { name: "mcp__fake__zeta", arguments: '{"q":1}' }),
      calling("call_tool", { name: "mcp__fake__none", arguments: {} }),
      "Done.",
    ]);
    const { toModel } = await run(model, aiSdkTools(source, options), enough);
    expect(toModel).toMatchObject([
      { type: "error-text", value: expect.stringContaining("MCP_ARGUMENTS_INVALID") },
      { type: "error-text", value: expect.stringContaining("It is unknown whether the call succeeded") },
      { type: "error-text", value: expect.stringContaining("MCP_TOOL_UNKNOWN") },
    ]);
    expect(source.calls).toHaveLength(1);
  });

  it("ask a person about the tool that is called, and believe an answer for that call alone", async () => {
    const source = createFakeToolSource([named("zeta"), named("harmless")]);
    const asked: string[] = [];
    const tools = aiSdkTools(source, {
      ...options,
      approval: ({ tool, args }) => {
        asked.push(`${tool.originalName} ${JSON.stringify(args)}`);
        return tool.originalName === "zeta";
      },
    });
    const call = { name: "mcp__fake__zeta", arguments: { q: 1 } };
    const model = scriptedModel([
      calling("call_tool", { name: "harmless", arguments: { q: 0 } }),
      [{ tool: "call_tool", input: JSON.stringify(call), id: "asked" }],
      "Done.",
    ]);
    const { messages } = await run(model, tools, enough);
    expect(asked.slice(-1)).toEqual(['zeta {"q":1}']);
    expect(source.calls.map(({ args }) => args)).toEqual([{ q: 0 }]);
    const question = messages
      .flatMap((message) => (message as { content: { type: string; approvalId?: string }[] }).content)
      .find(({ type }) => type === "tool-approval-request");
    const answer = {
      role: "tool",
      content: [{ type: "tool-approval-response", approvalId: question?.approvalId, approved: true }],
    };
    const history = [{ role: "user", content: "Do it." }, ...messages, answer];
    await run(scriptedModel(["Done."]), tools, { messages: history });
    expect(source.calls.map(({ args }) => args)).toEqual([{ q: 0 }, { q: 1 }]);
    await run(scriptedModel(["Done."]), tools, { messages: history });
    expect(source.calls).toHaveLength(2);
  });

  it("are not needed for a tool whose name a model knows", async () => {
    const source = createFakeToolSource(TOOLS);
    const model = scriptedModel([calling("mcp__fake__zeta", { q: 4 }), "Done."]);
    const { toModel } = await run(model, aiSdkTools(source, options), enough);
    expect(toModel).toEqual([{ type: "text", value: '{"q":4}' }]);
  });
});

describe("the option search", () => {
  const source = createFakeToolSource(TOOLS);

  it("is off by default", () => {
    expect(names(aiSdkTools(source))).toEqual(source.tools().map(({ name }) => name));
    expect(names(aiSdkTools(source, { search: "off" }))).toHaveLength(5);
  });

  it("set to auto searches from the threshold on", () => {
    expect(names(aiSdkTools(source, { search: "auto", sdk: 6 }))).toHaveLength(5);
    expect(names(aiSdkTools(source, { search: "auto", sdk: 6, threshold: 50 }))).toEqual([
      "search_tools",
      "describe_tool",
      "call_tool",
    ]);
  });

  it("set to auto begins and ends in a live set as the tools grow and shrink", () => {
    const growing = createFakeToolSource(TOOLS.slice(0, 1));
    const { tools, prepareStep } = aiSdkLiveTools(growing, { search: "auto", sdk: 6, threshold: 50 });
    expect(names(tools)).toEqual(["mcp__fake__delete"]);
    growing.replaceTools(TOOLS);
    prepareStep();
    expect(names(tools)).toEqual(["search_tools", "describe_tool", "call_tool"]);
    growing.replaceTools(TOOLS.slice(0, 1));
    prepareStep();
    expect(names(tools)).toEqual(["mcp__fake__delete"]);
  });

  it("gives its tools other names than those of the source", () => {
    const clashing = createFakeToolSource([{ name: "search_tools", definition: { name: "search_tools" } }]);
    const tools = aiSdkTools(clashing, { search: "always", sdk: 6, always: ["search_tools"] });
    expect(names(tools)).toContain("mcp_search_tools");
    expect(tools.search_tools?.metadata).toMatchObject({ server: "fake" });
  });

  it("finds no tool that the selection leaves out", async () => {
    const tools = aiSdkTools(source, { search: "always", sdk: 6, exclude: ["zeta"] });
    const call = { toolCallId: "1" };
    expect(await tools.search_tools?.execute({ query: "zeta" }, call)).toMatchObject({
      content: [{ text: expect.stringMatching(/^No further tool fits/) }],
    });
    expect(
      await tools.call_tool?.execute({ name: "mcp__fake__zeta", arguments: { q: 1 } }, call),
    ).toMatchObject({ isError: true, mcpError: { code: "MCP_TOOL_UNKNOWN", outcome: "not-sent" } });
  });

  it.each([{ search: "yes" }, { always: "zeta" }, { threshold: -1 }, { namesWithin: "many" }])(
    "refuses %j",
    (options) => {
      expect(() => aiSdkTools(source, options as never)).toThrow(
        expect.objectContaining({ code: "MCP_CONFIG_INVALID" }),
      );
    },
  );
});

describe("the search of a provider", () => {
  it.each([
    ["Anthropic", "tool_search_tool_bm25_20251119"],
    ["OpenAI", "tool_search"],
  ])("%s: gets the tools of a set as deferred, if a program marks them so", async (provider, type) => {
    const bodies: { tools: Record<string, unknown>[] }[] = [];
    const fetch = async (_url: unknown, init?: RequestInit) => {
      bodies.push(JSON.parse(String(init?.body)));
      return Response.json({ error: { message: "enough" } }, { status: 400 });
    };
    const ofAnthropic = createAnthropic({ apiKey: "k", fetch });
    const ofOpenai = createOpenAI({ apiKey: "k", fetch });
    const providerOptions = { anthropic: { deferLoading: true }, openai: { deferLoading: true } };
    const tools = Object.entries(aiSdkTools(createFakeToolSource(TOOLS))).map(([name, tool]) => [
      name,
      { ...tool, providerOptions },
    ]);
    const search =
      provider === "Anthropic" ? ofAnthropic.tools.toolSearchBm25_20251119() : ofOpenai.tools.toolSearch();
    const model = provider === "Anthropic" ? ofAnthropic("claude-sonnet-4-5") : ofOpenai("gpt-5.4");
    const run = ai7.generateText({
      ...{ model, prompt: "Go.", maxRetries: 0 },
      tools: { search, ...Object.fromEntries(tools) },
    });
    await expect(run).rejects.toThrow();
    expect(bodies).toHaveLength(1);
    const [first, ...rest] = bodies[0]?.tools ?? [];
    expect(first?.type).toBe(type);
    expect(rest).toHaveLength(TOOLS.length);
    for (const tool of rest) expect(tool.defer_loading).toBe(true);
  });
});
