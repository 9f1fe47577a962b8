import { createFakeToolSource, type FakeTool } from "@jackfield/test-kit";
import * as ai7 from "ai";
import * as ai6 from "ai6";
import { describe, expect, it } from "vitest";
import {
  type AiSdkToolSet,
  type AiSdkToolsOptions,
  aiSdkCallSettings,
  aiSdkLiveTools,
  aiSdkStoredTools,
  aiSdkTools,
} from "../src/index.ts";
import { RUNS, scriptedModel } from "./scripted-model.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const GIF = Buffer.from("GIF89a\0\0\0\0").toString("base64");
const PDF = Buffer.from("%PDF-1.4\n").toString("base64");
const sourceOf = (call: FakeTool["call"], definition: Partial<FakeTool["definition"]> = {}) =>
  createFakeToolSource([{ definition: { name: "ask", ...definition }, call }]);
const media = () =>
  sourceOf(() => ({
    content: [
      { type: "image", data: PNG, mimeType: "image/png" },
      { type: "image", data: GIF, mimeType: "image/gif" },
      { type: "audio", data: "AAEC", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "a:b", blob: PDF, mimeType: "application/pdf" } },
    ],
  }));

/** What a set of tools shows of its one tool's result: the media types of files, and `text` for a line. */
async function shown(options: AiSdkToolsOptions): Promise<readonly string[]> {
  const tool = aiSdkTools(media(), { sdk: 7, ...options }).mcp__fake__ask;
  const output = await tool?.execute({}, { toolCallId: "1" });
  const read = tool?.toModelOutput({ output });
  if (read?.type !== "content") return [];
  return read.value.map((part) => ("mediaType" in part ? part.mediaType : "text"));
}

describe("media", () => {
  const all = ["image/png", "image/gif", "audio/wav", "application/pdf"];
  const taken = (...types: string[]) => all.map((type) => (types.includes(type) ? type : "text"));
  const model = (provider: string, modelId: string): AiSdkToolsOptions => ({ model: { provider, modelId } });

  it.each<[string, AiSdkToolsOptions, readonly string[]]>([
    ["an unknown model takes none", {}, []],
    [
      "Anthropic takes images and PDF",
      model("anthropic.messages", "claude-sonnet-4-5"),
      taken("image/png", "image/gif", "application/pdf"),
    ],
    [
      "so does Anthropic's model on Vertex",
      model("vertex.anthropic.messages", "claude"),
      taken("image/png", "image/gif", "application/pdf"),
    ],
    [
      "so do the gateway's",
      { model: "anthropic/claude-sonnet-4.5" },
      taken("image/png", "image/gif", "application/pdf"),
    ],
    [
      "OpenAI's Responses API does",
      model("openai.responses", "gpt-5"),
      taken("image/png", "image/gif", "application/pdf"),
    ],
    ["its Chat Completions API does not", model("openai.chat", "gpt-5"), []],
    ["an API like it does not", model("ollama.chat", "qwen"), []],
    [
      "Gemini takes no GIF",
      model("google.generative-ai", "gemini-3-pro"),
      taken("image/png", "application/pdf"),
    ],
    [
      "Claude on Bedrock takes images",
      model("amazon-bedrock", "eu.anthropic.claude-sonnet-4-v1:0"),
      taken("image/png", "image/gif"),
    ],
    ["Llama on Bedrock takes none", model("amazon-bedrock", "meta.llama3-1-70b"), []],
    [
      "the option decides",
      { ...model("openai.chat", "x"), media: { audio: true, image: ["image/gif"] } },
      taken("image/gif", "audio/wav"),
    ],
  ])("%s", async (_title, options, expected) => {
    expect(await shown(options)).toEqual(expected);
  });

  it.each([{ pictures: true }, "all", { image: "image/png" }, { image: ["png"] }])(
    "the option %j is refused",
    (wrong) => {
      const options = { media: wrong } as unknown as AiSdkToolsOptions;
      const refusal = expect.objectContaining({ code: "MCP_CONFIG_INVALID" });
      expect(() => aiSdkTools(media(), options)).toThrow(refusal);
      expect(() => aiSdkLiveTools(media(), options)).toThrow(refusal);
    },
  );

  it("what does not fit is named, and stays whole in the output", async () => {
    const tool = aiSdkTools(media()).mcp__fake__ask;
    const output = await tool?.execute({}, { toolCallId: "1" });
    expect(output).toMatchObject({
      content: [{ data: PNG }, { data: GIF }, { data: "AAEC" }, { resource: { blob: PDF } }],
    });
    expect(tool?.toModelOutput({ output })).toEqual({
      type: "text",
      value: [
        "[image: image/png, 70 bytes, not shown]",
        "[image: image/gif, 10 bytes, not shown]",
        "[audio: audio/wav, 3 bytes, not shown]",
        "[resource: a:b (application/pdf, 9 bytes), content not shown]",
      ].join("\n\n"),
    });
  });
});

describe("a live set", () => {
  it("learns the model from the SDK before each step", async () => {
    const { tools, prepareStep } = aiSdkLiveTools(media(), { sdk: 7 });
    const before = tools.mcp__fake__ask;
    const output = await before?.execute({}, { toolCallId: "1" });
    expect(before?.toModelOutput({ output }).type).toBe("text");
    prepareStep({ model: { provider: "anthropic.messages", modelId: "claude" } });
    expect(tools.mcp__fake__ask?.toModelOutput({ output }).type).toBe("content");
    const same = tools.mcp__fake__ask;
    prepareStep({ model: { provider: "anthropic.messages", modelId: "other" } });
    expect(tools.mcp__fake__ask).toBe(same);
  });

  it("fits schemas to the model of the step", async () => {
    const inputSchema = { type: "object" as const, properties: { n: { enum: [1, 2] } } };
    const { tools, prepareStep } = aiSdkLiveTools(sourceOf(undefined, { inputSchema }));
    const n = () => tools.mcp__fake__ask?.inputSchema.jsonSchema.properties?.n;
    expect(JSON.stringify(n())).toContain("One of: 1,2.");
    prepareStep({ model: { provider: "openai.responses", modelId: "gpt-5" } });
    expect(n()).toEqual({ enum: [1, 2] });
  });
});

describe("marks of a server", () => {
  const app = { ui: { resourceUri: "ui://shop/cart", visibility: ["app"] } };
  it("tools for an app alone are never offered, whatever is included", () => {
    const source = createFakeToolSource([
      { definition: { name: "submit", _meta: app } },
      { definition: { name: "show", _meta: { ui: { ...app.ui, visibility: ["model", "app"] } } } },
      { definition: { name: "plain", annotations: { title: "Plain" } } },
    ]);
    for (const tools of [aiSdkTools(source, { include: ["*"] }), aiSdkLiveTools(source).tools])
      expect(Object.keys(tools)).toEqual(["mcp__fake__plain", "mcp__fake__show"]);
    const { mcp__fake__show: shown, mcp__fake__plain: plain } = aiSdkTools(source);
    expect(shown?.metadata.app).toEqual({
      resourceUri: "ui://shop/cart",
      visibility: ["model", "app"],
      mimeType: "text/html;profile=mcp-app",
    });
    expect(plain?.title).toBe("Plain");
    expect(plain?.metadata).not.toHaveProperty("app");
  });

  it("a description is never empty or half a character", () => {
    const described = (definition: Partial<FakeTool["definition"]>) =>
      Object.values(aiSdkTools(sourceOf(undefined, definition)))[0]?.description;
    expect(described({ description: " " })).toBe("ask");
    expect(described({ description: "", title: "Asks" })).toBe("Asks");
    expect(described({ description: "cut \ud83d" })).toBe("cut \ufffd");
  });
});

describe.each(RUNS)("through $name", ({ run, major }) => {
  it("a failed call counts as failed with throwErrors, and the model reads its text", async () => {
    const source = sourceOf(() => ({ isError: true, content: [{ type: "text", text: "no such row" }] }));
    const model = scriptedModel([[{ tool: "mcp__fake__ask", input: "{}" }], "Done."]);
    const { parts, toModel, text } = await run(model, aiSdkTools(source, { throwErrors: true }));
    expect(parts.at(-1)?.type).toBe("tool-error");
    expect(JSON.stringify(toModel)).toContain("no such row");
    expect(text).toBe("Done.");
  });

  it("results are data with results: data, and throw", async () => {
    const outputSchema = { type: "object" as const, properties: { n: { type: "number" } } };
    const source = sourceOf(
      () => ({ content: [{ type: "text", text: "n is 7" }], structuredContent: { n: 7 } }),
      { outputSchema },
    );
    const tools = aiSdkTools(source, { results: "data" });
    const model = scriptedModel([[{ tool: "mcp__fake__ask", input: "{}" }], "Done."]);
    const { outputs, toModel } = await run(model, tools);
    expect(outputs).toEqual([{ n: 7 }]);
    expect(toModel).toEqual([{ type: "json", value: { n: 7 } }]);
    expect(tools.mcp__fake__ask).toMatchObject({ outputSchema: { jsonSchema: outputSchema } });
  });

  it("a name without its prefix is repaired", async () => {
    const source = sourceOf(() => ({ content: [{ type: "text", text: "Here." }] }));
    const { tools, repairToolCall } = aiSdkCallSettings(source, { sdk: major });
    const model = scriptedModel([[{ tool: "Ask", input: "{}" }], "Done."]);
    const more = major === 7 ? { repairToolCall } : { experimental_repairToolCall: repairToolCall };
    const { toModel } = await run(model, tools, { more });
    expect(toModel).toEqual([{ type: "text", value: "Here." }]);
  });
});

describe.each([7, 6] as const)("a stored conversation of AI SDK %s whose tool is gone", (major) => {
  const { validateUIMessages, convertToModelMessages } = (major === 7 ? ai7 : ai6) as typeof ai7;
  const part = (toolName: string, output: unknown) => ({
    type: "dynamic-tool" as const,
    toolName,
    toolCallId: toolName,
    state: "output-available" as const,
    input: {},
    output,
  });
  const shot = { content: [{ type: "image", data: PNG, mimeType: "image/png" }] };
  const failure = { isError: true, content: [{ type: "text", text: "no such page" }] };
  const NAMED = { type: "text", value: "[image: image/png, 70 bytes, not shown]" };
  const FAILED = { type: "error-text", value: "no such page" };
  const read = async (
    tools: AiSdkToolSet | undefined,
    options: Parameters<typeof aiSdkStoredTools>[2] = {},
    parts = [part("mcp__fake__shot", shot), part("mcp__fake__fail", failure)],
  ) => {
    const message: ai7.UIMessage = { id: "1", role: "assistant", parts: JSON.parse(JSON.stringify(parts)) };
    const all =
      tools ?? aiSdkStoredTools([message], aiSdkTools(sourceOf(undefined)), { sdk: major, ...options });
    const valid = await validateUIMessages({ messages: [message], tools: all as never });
    const messages = await convertToModelMessages(valid, { tools: all as never });
    return messages
      .flatMap(({ role, content }) => (role === "tool" ? content : []))
      .map((result) => "output" in result && result.output);
  };

  it("reads the same without its server", async () => {
    expect(await read(undefined)).toEqual([NAMED, FAILED]);
    const model = { provider: "anthropic.messages", modelId: "claude" };
    expect(await read(undefined, { model })).toMatchObject([{ type: "content" }, { type: "error-text" }]);
  });

  it("reads text and data of tools that gave data", async () => {
    const parts = [part("mcp__fake__text", "n is 7 \ud83d"), part("mcp__fake__data", { n: 7 })];
    expect(await read(undefined, {}, parts)).toEqual([
      { type: "text", value: "n is 7 \ufffd" },
      { type: "json", value: { n: 7 } },
    ]);
  });

  it("reads the same with a set that no longer offers the tool, without any other step", async () => {
    const source = createFakeToolSource(["shot", "fail", "stays"].map((name) => ({ definition: { name } })));
    const options = { include: ["stays"], sdk: major };
    expect(await read(aiSdkTools(source, options))).toEqual([NAMED, FAILED]);
    expect(await read(aiSdkLiveTools(source, options).tools)).toEqual([NAMED, FAILED]);
  });
});

describe.each(RUNS)("a tool that a set does not offer, with $name", ({ run }) => {
  it("is not listed, and a call of it reaches nobody", async () => {
    const source = createFakeToolSource(["secret", "open"].map((name) => ({ definition: { name } })));
    for (const tools of [
      aiSdkTools(source, { exclude: ["secret"] }),
      aiSdkLiveTools(source, { exclude: ["secret"] }).tools,
    ]) {
      expect(Object.keys(tools)).toEqual(["mcp__fake__open"]);
      const model = scriptedModel([[{ tool: "mcp__fake__secret", input: '{"a":1}' }], "Done."]);
      const { text, toModel } = await run(model, tools);
      expect(text).toBe("Done.");
      expect(toModel).toMatchObject([
        { type: "error-text", value: expect.stringContaining("is not offered here") },
      ]);
      expect(model.calls[0]?.tools?.map(({ name }) => name)).toEqual(["mcp__fake__open"]);
    }
    expect(source.calls).toEqual([]);
  });
});

it("a program's own tool may have the name of a tool that is not offered", () => {
  const source = createFakeToolSource(["a", "b"].map((name) => ({ definition: { name } })));
  const { tools, prepareStep } = aiSdkLiveTools(source, { exclude: ["a"] });
  const own = { type: "dynamic" } as never;
  tools.mcp__fake__a = own;
  source.replaceTools(["a", "b", "c"].map((name) => ({ definition: { name } })));
  prepareStep();
  expect(tools.mcp__fake__a).toBe(own);
  expect(Object.keys(tools).toSorted()).toEqual(["mcp__fake__a", "mcp__fake__b", "mcp__fake__c"]);
});

it("AI SDK 5, which passes outputs in another form, is refused with a clear error", () => {
  const tool = aiSdkTools(sourceOf(undefined)).mcp__fake__ask;
  const raw = { content: [{ type: "text", text: "a" }] } as never;
  expect(() => tool?.toModelOutput(raw)).toThrow(expect.objectContaining({ code: "MCP_CONFIG_INVALID" }));
});

it("an option that says nothing is refused", () => {
  const options = { results: "values" } as unknown as AiSdkToolsOptions;
  expect(() => aiSdkTools(sourceOf(undefined), options)).toThrow(
    expect.objectContaining({ code: "MCP_CONFIG_INVALID" }),
  );
});

it("tools say strict: false where OpenAI may read them, and nothing to others", () => {
  const strict = (options: AiSdkToolsOptions) =>
    aiSdkTools(sourceOf(undefined), options).mcp__fake__ask?.strict;
  expect(strict({})).toBe(false);
  expect(strict({ model: { provider: "openai.responses", modelId: "gpt-5" } })).toBe(false);
  expect(strict({ model: { provider: "amazon-bedrock", modelId: "meta.llama" } })).toBeUndefined();
  expect(strict({ schemaProfile: "strict" })).toBe(true);
});
