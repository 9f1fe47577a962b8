import type { ToolCallResult } from "@jackfield/mcp-core";
import { createFakeToolSource } from "@jackfield/test-kit";
import { convertToModelMessages, type UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import { aiSdkTools, type MediaSupport } from "../src/index.ts";
import { toModelOutput } from "../src/model-output.ts";

const EVERYTHING: MediaSupport = { image: true, audio: true, video: true, document: true };
const shown = (output: unknown, media = EVERYTHING) => toModelOutput(output, { major: 7, media });

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PDF = {
  type: "resource",
  resource: { uri: "file:///a.pdf", blob: "JVBERi0xLjQ=", mimeType: "application/pdf" },
};
const ZIP = {
  type: "resource",
  resource: { uri: "file:///a.zip", blob: "AAEC", mimeType: "application/zip" },
};

describe("the output for a model", () => {
  it.each<[string, unknown, unknown]>([
    [
      "joins texts and structured content into one text",
      { content: [{ type: "text", text: "one" }], structuredContent: { rows: 1 } },
      { type: "text", value: 'one\n\n{"rows":1}' },
    ],
    [
      "shows audio as a file",
      { content: [{ type: "audio", data: "aGk=", mimeType: "audio/wav" }] },
      {
        type: "content",
        value: [{ type: "file", mediaType: "audio/wav", data: { type: "data", data: "aGk=" } }],
      },
    ],
    [
      "shows a PDF as a file and only names a ZIP archive",
      { content: [PDF, ZIP] },
      {
        type: "content",
        value: [
          { type: "file", mediaType: "application/pdf", data: { type: "data", data: "JVBERi0xLjQ=" } },
          { type: "text", text: "[resource: file:///a.zip (application/zip, 3 bytes), content not shown]" },
        ],
      },
    ],
    [
      "only names an undecodable image beside one that can be decoded",
      {
        content: [
          { type: "image", data: "%%%", mimeType: "image/png" },
          { type: "image", data: PNG, mimeType: "image/png" },
        ],
      },
      {
        type: "content",
        value: [
          { type: "text", text: "[image: image/png, not shown]" },
          { type: "file", mediaType: "image/png", data: { type: "data", data: PNG } },
        ],
      },
    ],
    [
      "only names images and documents without bytes or MIME type",
      {
        content: [
          { type: "image", data: "", mimeType: "image/png" },
          { type: "image", data: "AAEC", mimeType: "" },
          { ...PDF, resource: { ...PDF.resource, blob: " " } },
        ],
      },
      {
        type: "text",
        value:
          "[image: image/png, not shown]\n\n[image: 3 bytes, not shown]\n\n[resource: file:///a.pdf (application/pdf), content not shown]",
      },
    ],
    [
      "shows a result with a progress member as a result",
      { content: [{ type: "text", text: "In progress: 6" }], progress: { progress: 5 } },
      { type: "text", value: "In progress: 6" },
    ],
    [
      "shows a result whose progress has no text form as a result",
      { content: [], progress: { progress: { toString: null, valueOf: null } } },
      { type: "text", value: "The tool returned nothing." },
    ],
    ...[
      { total: { toString: null, valueOf: null } },
      { message: { toString: null, valueOf: null } },
      { total: null, message: null },
    ].map((more): [string, unknown, unknown] => [
      `shows a result with the malformed progress ${JSON.stringify(more)} as a result`,
      { content: [{ type: "text", text: "Real." }], progress: { progress: 1, ...more } },
      { type: "text", value: "Real." },
    ]),
    [
      "shows a stored progress output as an aborted call, in any member order",
      {
        progress: { message: "Paying.", progress: 5 },
        content: [{ text: "In progress: 5. Paying.", type: "text" }],
      },
      { type: "error-text", value: expect.stringContaining("MCP_ABORTED") },
    ],
    [
      "[T28] says that a result without content returned nothing",
      { content: [] },
      { type: "text", value: "The tool returned nothing." },
    ],
    [
      "[T27] shows a block of an unknown type as JSON text",
      { content: [{ type: "hologram" }] },
      { type: "text", value: '{"type":"hologram"}' },
    ],
    [
      "shows an error result as error-text that names its image",
      { content: [{ type: "image", data: PNG, mimeType: "image/png" }], isError: true },
      { type: "error-text", value: "[image: image/png, 70 bytes, not shown]" },
    ],
    ["shows a stored text unchanged", "earlier", { type: "text", value: "earlier" }],
    [
      "shows stored data that is not a result as JSON",
      { temperature: 3 },
      { type: "json", value: { temperature: 3 } },
    ],
    ["shows undefined as null", undefined, { type: "json", value: null }],
  ])("%s", (_title, output, expected) => {
    expect(shown(output)).toEqual(expected);
  });
});

describe("a stored conversation", () => {
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
    const messages = await convertToModelMessages([message], {
      tools: aiSdkTools(source, { media: EVERYTHING }),
    });
    return messages.flatMap((m) =>
      m.role === "tool" ? m.content.map((part) => (part.type === "tool-result" ? part.output : part)) : [],
    );
  };

  it("gives the model the same output for a result", async () => {
    const answer: ToolCallResult = { content: [{ type: "image", data: PNG, mimeType: "image/png" }] };
    expect(await stored(answer)).toEqual([shown(answer)]);
  });

  it("tells the model that a call stored at its progress was aborted", async () => {
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

  it("gives the model the same output for a failed call", async () => {
    const source = createFakeToolSource([{ definition: { name: "ask" } }]);
    const snapshot = aiSdkTools(source);
    source.replaceTools([]);
    const failed = await snapshot.mcp__fake__ask?.execute({}, { toolCallId: "call-0" });
    expect(await stored(failed)).toEqual([shown(failed)]);
    expect(shown(failed)).toMatchObject({ type: "error-text" });
  });
});
