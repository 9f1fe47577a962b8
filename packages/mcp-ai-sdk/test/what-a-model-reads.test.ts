import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  createFakeToolSource,
  type ReadingOf,
  startModelApi,
  TOOL_OUTCOMES,
  toolResultIn,
  writtenTable,
} from "@jackfield/test-kit";
import * as ai7 from "ai";
import * as ai6 from "ai6";
import { createAnthropic as createAnthropic6 } from "anthropic6";
import { createOpenAICompatible as createOpenAICompatible6 } from "compatible6";
import { createGoogleGenerativeAI as createGoogleGenerativeAI6 } from "google6";
import { createOpenAI as createOpenAI6 } from "openai6";
import { expect, it } from "vitest";
import { type AiSdkModel, aiSdkTools } from "../src/index.ts";

// A scripted model has no signatures of thoughts; AI SDK would say so for each call.
globalThis.AI_SDK_LOG_WARNINGS = false;

const key = { apiKey: "k" };

/** A model of a provider's real package, on a stand-in for its API. */
const MODELS: readonly (readonly [name: string, major: 6 | 7, make: (url: string) => unknown])[] = [
  ["compatible", 7, (url) => createOpenAICompatible({ name: "mine", baseURL: `${url}/v1` })("m")],
  ["chat", 7, (url) => createOpenAI({ ...key, baseURL: `${url}/v1` }).chat("gpt-5")],
  ["responses", 7, (url) => createOpenAI({ ...key, baseURL: `${url}/v1` })("gpt-5")],
  ["anthropic", 7, (url) => createAnthropic({ ...key, baseURL: `${url}/v1` })("claude-sonnet-4-5")],
  [
    "gemini 3",
    7,
    (url) => createGoogleGenerativeAI({ ...key, baseURL: `${url}/v1beta` })("gemini-3-pro-preview"),
  ],
  [
    "gemini 2",
    7,
    (url) => createGoogleGenerativeAI({ ...key, baseURL: `${url}/v1beta` })("gemini-2.5-flash"),
  ],
  [
    "bedrock",
    7,
    (url) =>
      createAmazonBedrock({ ...key, region: "eu-central-1", baseURL: url })(
        "anthropic.claude-sonnet-4-20250514-v1:0",
      ),
  ],
  ["compatible", 6, (url) => createOpenAICompatible6({ name: "mine", baseURL: `${url}/v1` })("m")],
  ["responses", 6, (url) => createOpenAI6({ ...key, baseURL: `${url}/v1` })("gpt-5")],
  ["anthropic", 6, (url) => createAnthropic6({ ...key, baseURL: `${url}/v1` })("claude-sonnet-4-5")],
  [
    "gemini 3",
    6,
    (url) => createGoogleGenerativeAI6({ ...key, baseURL: `${url}/v1beta` })("gemini-3-pro-preview"),
  ],
];

it("every outcome of a call reaches every provider in a form that its API takes", async () => {
  const readings: ReadingOf[] = [];
  for (const [name, major, make] of MODELS) {
    for (const { title, ...outcome } of TOOL_OUTCOMES) {
      await using api = await startModelApi([{ tool: "mcp__fake__ask", args: {} }, "Done."]);
      const call = () => {
        if ("error" in outcome) throw outcome.error;
        return outcome.result;
      };
      const source = createFakeToolSource([{ definition: { name: "ask" }, call }]);
      const model = make(api.url);
      const tools = aiSdkTools(source, { model: model as AiSdkModel });
      const sdk = (major === 7 ? ai7 : ai6) as typeof ai7;
      const stopWhen = major === 7 ? ai7.isStepCount(3) : ai6.stepCountIs(3);
      const run = { model, prompt: "Do it.", tools, stopWhen, maxRetries: 0 } as never;
      const text = await sdk.generateText(run).then(
        (result) => result.text,
        (error: unknown) => String(error),
      );
      expect({ name, major, title, text, refusals: api.refusals }).toMatchObject({
        text: "Done.",
        refusals: [],
      });
      readings.push({ column: `${name} (${major})`, title, parts: toolResultIn(api.bodies.at(-1) ?? {}) });
    }
  }
  await writtenTable("ai-sdk", readings);
});
