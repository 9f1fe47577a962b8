import {
  createFakeToolSource,
  type FakeToolSource,
  type ReadingOf,
  startModelApi,
  TOOL_OUTCOMES,
  toolResultIn,
  writtenTable,
} from "@jackfield/test-kit";
import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, providerStrategy, toolStrategy } from "langchain";
import { describe, expect, it } from "vitest";
import { langchainTools } from "../src/index.ts";
import { mcpMiddleware } from "../src/middleware.ts";

const once = { apiKey: "k", maxRetries: 0 };

/** A model of a provider's real package, on a stand-in for its API. */
const MODELS: readonly (readonly [name: string, make: (url: string) => BaseChatModel])[] = [
  [
    "OpenAI chat",
    (url) => new ChatOpenAI({ ...once, model: "gpt-5", configuration: { baseURL: `${url}/v1` } }),
  ],
  [
    "OpenAI responses",
    (url) =>
      new ChatOpenAI({
        ...once,
        model: "gpt-5",
        useResponsesApi: true,
        configuration: { baseURL: `${url}/v1` },
      }),
  ],
  ["Anthropic", (url) => new ChatAnthropic({ ...once, model: "claude-sonnet-4-5", anthropicApiUrl: url })],
  ["Google", (url) => new ChatGoogleGenerativeAI({ ...once, model: "gemini-2.5-flash", baseUrl: url })],
];

it.each(["tools", "middleware"] as const)(
  "every outcome of a call reaches every provider in a form that its API takes, by %s",
  async (way) => {
    const readings: ReadingOf[] = [];
    for (const [column, make] of MODELS) {
      for (const { title, ...outcome } of TOOL_OUTCOMES) {
        await using api = await startModelApi([{ tool: "mcp__fake__ask", args: {} }, "Done."]);
        const call = () => {
          if ("error" in outcome) throw outcome.error;
          return outcome.result;
        };
        const source = createFakeToolSource([{ definition: { name: "ask" }, call }]);
        const model = make(api.url);
        const parts =
          way === "tools"
            ? { tools: langchainTools(source, { model }) }
            : { middleware: [mcpMiddleware(source)] };
        const text = await createAgent({ model, ...parts })
          .invoke({ messages: "Do it." })
          .then(({ messages }) => messages.at(-1)?.text, String);
        expect({ column, title, text, refusals: api.refusals }).toMatchObject({
          text: "Done.",
          refusals: [],
        });
        readings.push({ column, title, parts: toolResultIn(api.bodies.at(-1) ?? {}) });
      }
    }
    await writtenTable("langchain", readings);
  },
);

const SEARCH = {
  type: "object" as const,
  properties: { text: { type: "string" }, limit: { type: "number", default: 10 } },
  required: ["text"],
};
const ANSWER = {
  title: "answer",
  type: "object" as const,
  properties: { answer: { type: "string" } },
  required: ["answer"],
  additionalProperties: false,
};
type Parts = (source: FakeToolSource, model: BaseChatModel) => object;

describe("tools are strict where LangChain says so, by a formatted answer of Chat Completions", () => {
  it.each<[string, Parts]>([
    ["mcpMiddleware", (source) => ({ middleware: [mcpMiddleware(source)] })],
    [
      "mcpMiddleware with another profile",
      (source) => ({ middleware: [mcpMiddleware(source, { schemaProfile: "openai" })] }),
    ],
    ["langchainTools with the model", (source, model) => ({ tools: langchainTools(source, { model }) })],
    ["and with its name", (source) => ({ tools: langchainTools(source, { model: "openai:gpt-4.1-mini" }) })],
    ["and with the profile", (source) => ({ tools: langchainTools(source, { schemaProfile: "openai" }) })],
  ])("%s", async (_title, parts) => {
    const source = createFakeToolSource([
      { definition: { name: "ask", inputSchema: SEARCH }, call: () => ({ content: [] }) },
    ]);
    const call = { tool: "mcp__fake__ask", args: { text: "x", limit: null } };
    await using api = await startModelApi([call, '{"answer":"42"}']);
    const configuration = { baseURL: `${api.url}/v1` };
    const model = new ChatOpenAI({ ...once, model: "gpt-4.1-mini", configuration });
    const responseFormat = providerStrategy({ schema: ANSWER });
    const agent = createAgent({ model, ...parts(source, model), responseFormat });
    const { structuredResponse } = await agent.invoke({ messages: "Do it." });
    expect({ structuredResponse, refusals: api.refusals }).toEqual({
      structuredResponse: { answer: "42" },
      refusals: [],
    });
    expect(source.calls.map(({ args }) => args)).toEqual([{ text: "x" }]);
    expect(JSON.stringify(api.bodies[0])).toContain("Default: 10.");
  });

  it("and by no other: an answer that a tool takes, the Responses API, and no format at all", async () => {
    const source = createFakeToolSource([{ definition: { name: "ask", inputSchema: SEARCH } }]);
    const sent = async (model: object, responseFormat?: object) => {
      await using api = await startModelApi(["Done.", "Done."]);
      const chat = new ChatOpenAI({
        ...once,
        model: "gpt-4.1-mini",
        ...model,
        configuration: { baseURL: `${api.url}/v1` },
      });
      const agent = createAgent({
        model: chat,
        middleware: [mcpMiddleware(source)],
        ...(responseFormat && { responseFormat: responseFormat as never }),
      });
      await agent.invoke({ messages: "Do it." }).catch(() => undefined);
      return JSON.stringify(api.bodies[0]).includes('"default":10');
    };
    expect(await sent({})).toBe(true);
    expect(await sent({}, toolStrategy(ANSWER as never))).toBe(true);
    expect(await sent({ useResponsesApi: true }, providerStrategy({ schema: ANSWER }))).toBe(true);
  });
});
