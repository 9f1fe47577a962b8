import type { ToolCallResult } from "@jackfield/mcp-core";
import { createFakeToolSource } from "@jackfield/test-kit";
import { convertToModelMessages, type UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import { aiSdkTools } from "../src/index.ts";
import { toModelOutput } from "../src/model-output.ts";

const PDF = {
  type: "resource",
  resource: { uri: "file:///a.pdf", blob: "aGk=", mimeType: "application/pdf" },
};
const ZIP = {
  type: "resource",
  resource: { uri: "file:///a.zip", blob: "aGk=", mimeType: "application/zip" },
};

describe("what a model is given", () => {
  it.each<[string, unknown, unknown]>([
    [
      "texts and structured content as one text",
      { content: [{ type: "text", text: "one" }], structuredContent: { rows: 1 } },
      { type: "text", value: 'one\n\n{"rows":1}' },
    ],
    [
      "a sound as a file",
      { content: [{ type: "audio", data: "aGk=", mimeType: "audio/wav" }] },
      {
        type: "content",
        value: [{ type: "file", mediaType: "audio/wav", data: { type: "data", data: "aGk=" } }],
      },
    ],
    [
      "a document as a file, and bytes that no model reads by name",
      { content: [PDF, ZIP] },
      {
        type: "content",
        value: [
          { type: "file", mediaType: "application/pdf", data: { type: "data", data: "aGk=" } },
          { type: "text", text: "[resource: file:///a.zip (application/zip), content not shown]" },
        ],
      },
    ],
    [
      "an image that cannot be decoded by name, beside one that can",
      {
        content: [
          { type: "image", data: "%%%", mimeType: "image/png" },
          { type: "image", data: "aGk=", mimeType: "image/png" },
        ],
      },
      {
        type: "content",
        value: [
          { type: "text", text: "[image: image/png]" },
          { type: "file", mediaType: "image/png", data: { type: "data", data: "aGk=" } },
        ],
      },
    ],
    [
      "images and documents without bytes, or without a type, by name",
      {
        content: [
          { type: "image", data: "", mimeType: "image/png" },
          { type: "image", data: "aGk=", mimeType: "" },
          { ...PDF, resource: { ...PDF.resource, blob: " " } },
        ],
      },
      {
        type: "text",
        value:
          "[image: image/png]\n\n[image]\n\n[resource: file:///a.pdf (application/pdf), content not shown]",
      },
    ],
    [
      "an answer that says something of progress as an answer",
      { content: [{ type: "text", text: "In progress: 6" }], progress: { progress: 5 } },
      { type: "text", value: "In progress: 6" },
    ],
    [
      "an answer with progress of which no text can be made as an answer",
      { content: [], progress: { progress: { toString: null, valueOf: null } } },
      { type: "text", value: "The tool returned nothing." },
    ],
    ...[
      { total: { toString: null, valueOf: null } },
      { message: { toString: null, valueOf: null } },
      { total: null, message: null },
    ].map((more): [string, unknown, unknown] => [
      `an answer that says of its progress ${JSON.stringify(more)} as an answer`,
      { content: [{ type: "text", text: "Real." }], progress: { progress: 1, ...more } },
      { type: "text", value: "Real." },
    ]),
    [
      "progress as that of a call that was given up, in whatever order a store keeps its members",
      {
        progress: { message: "Paying.", progress: 5 },
        content: [{ text: "In progress: 5. Paying.", type: "text" }],
      },
      { type: "error-text", value: expect.stringContaining("MCP_ABORTED") },
    ],
    [
      "[T28] no content as words that say so",
      { content: [] },
      { type: "text", value: "The tool returned nothing." },
    ],
    [
      "[T27] a block of a kind nobody knows as JSON text",
      { content: [{ type: "hologram" }] },
      { type: "text", value: '{"type":"hologram"}' },
    ],
    [
      "an error as text, its image by name",
      { content: [{ type: "image", data: "aGk=", mimeType: "image/png" }], isError: true },
      { type: "error-text", value: "[image: image/png]" },
    ],
    ["a stored text as it is", "earlier", { type: "text", value: "earlier" }],
    [
      "stored data that is no result as it is",
      { temperature: 3 },
      { type: "json", value: { temperature: 3 } },
    ],
    ["nothing as null", undefined, { type: "json", value: null }],
  ])("%s", (_title, output, expected) => {
    expect(toModelOutput(output, 7)).toEqual(expected);
  });
});

describe("a conversation that was stored", () => {
  const stored = async (output: unknown) => {
    const source = createFakeToolSource([{ definition: { name: "ask" } }]);
    const message: Omit<UIMessage, "id"> = {
      role: "assistant",
      parts: [
        {
          type: "dynamic-tool",
          toolName: "mcp__fake__ask",
          toolCallId: "call-0",
          state: "output-available",
          input: {},
          output: JSON.parse(JSON.stringify(output)),
        },
      ],
    };
    const messages = await convertToModelMessages([message], { tools: aiSdkTools(source, { sdk: 7 }) });
    return messages.flatMap((m) =>
      m.role === "tool" ? m.content.map((part) => (part.type === "tool-result" ? part.output : part)) : [],
    );
  };

  it("gives the model the same again for an answer", async () => {
    const answer: ToolCallResult = { content: [{ type: "image", data: "aGk=", mimeType: "image/png" }] };
    expect(await stored(answer)).toEqual([toModelOutput(answer, 7)]);
  });

  it("tells the model of a call that was given up on its way that no answer came", async () => {
    const source = createFakeToolSource([
      {
        definition: { name: "ask" },
        call: (_args, { onProgress }) => {
          onProgress?.({ progress: 5, total: 50, message: "Paying." });
          return new Promise(() => {});
        },
      },
    ]);
    const run = aiSdkTools(source).mcp__fake__ask?.execute({}, { toolCallId: "call-0" });
    for await (const output of run ?? []) {
      expect(await stored(output)).toEqual([
        {
          type: "error-text",
          value:
            "The call failed (MCP_ABORTED). It is unknown whether the call succeeded: it may have run. Do not simply repeat it; " +
            "check first whether it took effect. The call was aborted before it was answered. Its last progress report: " +
            "In progress: 5 of 50. Paying.",
        },
      ]);
      break;
    }
    expect.assertions(1);
  });

  it("gives the model the same again for a failed call", async () => {
    const source = createFakeToolSource([{ definition: { name: "ask" } }]);
    const snapshot = aiSdkTools(source);
    source.replaceTools([]);
    const failed = await snapshot.mcp__fake__ask?.execute({}, { toolCallId: "call-0" });
    expect(await stored(failed)).toEqual([toModelOutput(failed, 7)]);
    expect(toModelOutput(failed, 7)).toMatchObject({ type: "error-text" });
  });
});
