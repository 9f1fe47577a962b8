import type { ContentBlock, ToolCallResult } from "@jackfield/mcp-core";
import { describe, expect, it } from "vitest";
import { classifyResult, type ResultPart } from "../src/classified-result.ts";
import { resultText } from "../src/result-text.ts";

interface Row {
  readonly title: string;
  readonly result: ToolCallResult;
  readonly parts: readonly ResultPart[];
  readonly isError?: boolean;
  readonly text: string;
}

const NESTED = { rows: [{ id: 1, tags: ["a", "b"] }], next: null };

const unknownBlock = (block: unknown): ContentBlock[] => [block as ContentBlock];

const circular: { self?: unknown } = {};
circular.self = circular;

const TABLE: readonly Row[] = [
  {
    title: "text blocks stay separate and in order",
    result: {
      content: [
        { type: "text", text: "one" },
        { type: "text", text: "two" },
      ],
    },
    parts: [
      { kind: "text", text: "one" },
      { kind: "text", text: "two" },
    ],
    text: "one\n\ntwo",
  },
  {
    title: "[T26] an image keeps its MIME type and is only named in text",
    result: { content: [{ type: "image", data: "aGk=", mimeType: "image/webp" }] },
    parts: [{ kind: "image", data: "aGk=", mimeType: "image/webp" }],
    text: "[image: image/webp]",
  },
  {
    title: "audio becomes an audio part",
    result: { content: [{ type: "audio", data: "aGk=", mimeType: "audio/wav" }] },
    parts: [{ kind: "audio", data: "aGk=", mimeType: "audio/wav" }],
    text: "[audio: audio/wav]",
  },
  {
    title: "a text resource is shown with its URI",
    result: { content: [{ type: "resource", resource: { uri: "file:///a.md", text: "# A" } }] },
    parts: [{ kind: "resource-text", uri: "file:///a.md", text: "# A" }],
    text: "[resource: file:///a.md]\n# A",
  },
  {
    title: "a blob resource without a MIME type becomes application/octet-stream",
    result: { content: [{ type: "resource", resource: { uri: "file:///a.bin", blob: "aGk=" } }] },
    parts: [
      { kind: "resource-blob", uri: "file:///a.bin", data: "aGk=", mimeType: "application/octet-stream" },
    ],
    text: "[resource: file:///a.bin (application/octet-stream), content not shown]",
  },
  {
    title: "a resource link shows its name, URI, MIME type and description",
    result: {
      content: [
        {
          type: "resource_link",
          uri: "file:///a.md",
          name: "notes",
          mimeType: "text/markdown",
          description: "Last week.",
        },
      ],
    },
    parts: [
      {
        kind: "link",
        uri: "file:///a.md",
        name: "notes",
        mimeType: "text/markdown",
        description: "Last week.",
      },
    ],
    text: "[link: notes <file:///a.md> (text/markdown)] Last week.",
  },
  {
    title: "[T24] structured content that a text block repeats in another key order is given once",
    result: {
      content: [{ type: "text", text: '{"next":null,"rows":[{"tags":["a","b"],"id":1}]}' }],
      structuredContent: NESTED,
    },
    parts: [{ kind: "text", text: '{"next":null,"rows":[{"tags":["a","b"],"id":1}]}' }],
    text: '{"next":null,"rows":[{"tags":["a","b"],"id":1}]}',
  },
  {
    title: "[T24] a member equal to a text block is given once, as from the filesystem server",
    result: { content: [{ type: "text", text: "line" }], structuredContent: { content: "line" } },
    parts: [{ kind: "text", text: "line" }],
    text: "line",
  },
  {
    title: "[T24] a member that a text block repeats as JSON is given once, as from the memory server",
    result: {
      content: [{ type: "text", text: '[\n  { "name": "a" }\n]' }],
      structuredContent: { entities: [{ name: "a" }] },
    },
    parts: [{ kind: "text", text: '[\n  { "name": "a" }\n]' }],
    text: '[\n  { "name": "a" }\n]',
  },
  {
    title: "[T24] a member that repeats the content blocks is given once",
    result: {
      content: [{ type: "image", data: "aGk=", mimeType: "image/png" }],
      structuredContent: { content: [{ type: "image", data: "aGk=", mimeType: "image/png" }] },
    },
    parts: [{ kind: "image", data: "aGk=", mimeType: "image/png" }],
    text: "[image: image/png]",
  },
  {
    title: "a member that no text repeats stays when another is dropped",
    result: {
      content: [{ type: "text", text: "Deleted." }],
      structuredContent: { success: true, message: "Deleted." },
    },
    parts: [
      { kind: "text", text: "Deleted." },
      { kind: "data", value: { success: true } },
    ],
    text: 'Deleted.\n\n{"success":true}',
  },
  {
    title: "a text equal to two members replaces neither",
    result: { content: [{ type: "text", text: "5" }], structuredContent: { found: 5, total: 5 } },
    parts: [
      { kind: "text", text: "5" },
      { kind: "data", value: { found: 5, total: 5 } },
    ],
    text: '5\n\n{"found":5,"total":5}',
  },
  {
    title: "structured content that differs from the text follows it",
    result: { content: [{ type: "text", text: '{"rows":[]}' }], structuredContent: NESTED },
    parts: [
      { kind: "text", text: '{"rows":[]}' },
      { kind: "data", value: NESTED },
    ],
    text: `{"rows":[]}\n\n${JSON.stringify(NESTED)}`,
  },
  {
    title: "[T25] structured content without other content reaches the model",
    result: { content: [], structuredContent: NESTED },
    parts: [{ kind: "data", value: NESTED }],
    text: JSON.stringify(NESTED),
  },
  {
    title: "structured content may be null",
    result: { content: [{ type: "text", text: "false" }], structuredContent: null },
    parts: [
      { kind: "text", text: "false" },
      { kind: "data", value: null },
    ],
    text: "false\n\nnull",
  },
  {
    title: "structured content with a Date and undefined is converted to JSON",
    result: { content: [], structuredContent: { at: new Date(0), skipped: undefined } },
    parts: [{ kind: "data", value: { at: "1970-01-01T00:00:00.000Z" } }],
    text: '{"at":"1970-01-01T00:00:00.000Z"}',
  },
  {
    title: "structured content that cannot be serialized becomes a placeholder text",
    result: { content: [], structuredContent: circular },
    parts: [{ kind: "text", text: "[content that cannot be written as JSON]" }],
    text: "[content that cannot be written as JSON]",
  },
  {
    title: "[T23] an error result keeps its text beside structured content",
    result: {
      content: [{ type: "text", text: "no such row" }],
      structuredContent: { row: 7 },
      isError: true,
    },
    parts: [
      { kind: "text", text: "no such row" },
      { kind: "data", value: { row: 7 } },
    ],
    isError: true,
    text: 'no such row\n\n{"row":7}',
  },
  {
    title: "[T27] a block of an unknown type becomes JSON text",
    result: { content: unknownBlock({ type: "hologram", depth: { cm: 3 } }) },
    parts: [{ kind: "text", text: '{"type":"hologram","depth":{"cm":3}}' }],
    text: '{"type":"hologram","depth":{"cm":3}}',
  },
  {
    title: "an image without a MIME type becomes JSON text",
    result: { content: unknownBlock({ type: "image", data: "aGk=" }) },
    parts: [{ kind: "text", text: '{"type":"image","data":"aGk="}' }],
    text: '{"type":"image","data":"aGk="}',
  },
  {
    title: "a resource without content becomes JSON text",
    result: { content: unknownBlock({ type: "resource", resource: { uri: "file:///a" } }) },
    parts: [{ kind: "text", text: '{"type":"resource","resource":{"uri":"file:///a"}}' }],
    text: '{"type":"resource","resource":{"uri":"file:///a"}}',
  },
  {
    title: "a block that is not an object becomes JSON text",
    result: { content: unknownBlock(null) },
    parts: [{ kind: "text", text: "null" }],
    text: "null",
  },
  {
    title: "[T28] a result without content has no parts and says that nothing was returned",
    result: { content: [] },
    parts: [],
    text: "The tool returned nothing.",
  },
  {
    title: "an empty text block counts as no content",
    result: { content: [{ type: "text", text: "" }] },
    parts: [],
    text: "The tool returned nothing.",
  },
  {
    title: "an error without content is still an error",
    result: { content: [], isError: true },
    parts: [],
    isError: true,
    text: "The tool reported an error without a message.",
  },
  {
    title: "a result without a content array has no parts",
    result: { toolResult: 1 } as unknown as ToolCallResult,
    parts: [],
    text: "The tool returned nothing.",
  },
];

describe("classifying a result", () => {
  it.each(TABLE)("$title", ({ result, parts, isError = false, text }) => {
    const classified = classifyResult(result);
    expect(classified).toEqual({ parts, isError });
    expect(resultText(classified)).toBe(text);
  });

  it.each<[string, (index: number) => unknown]>([
    ["texts", (index) => `row ${index}`],
    ["objects", (index) => ({ row: index })],
    ["deeply nested lists", (index) => [[[[[[[[index]]]]]]]]],
  ])("20,000 members are not each compared with 20,000 texts: %s", (_title, member) => {
    const texts = Array.from({ length: 20_000 }, (_, index) => `{"at":${index}}`.padEnd(90));
    const structuredContent = Object.fromEntries(texts.map((_, index) => [`m${index}`, member(index)]));
    const content = texts.map((text) => ({ type: "text" as const, text }));
    const { parts } = classifyResult({ content, structuredContent });
    expect(parts.at(-1)).toEqual({ kind: "data", value: structuredContent });
  });

  it("a text nested too deeply to compare is kept beside the structured content", () => {
    const text = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const { parts } = classifyResult({ content: [{ type: "text", text }], structuredContent: NESTED });
    expect(parts).toEqual([
      { kind: "text", text },
      { kind: "data", value: NESTED },
    ]);
  });

  it("no result text contains [object Object]", () => {
    for (const { result } of TABLE) expect(resultText(classifyResult(result))).not.toContain("[object");
  });
});

it.each([null, undefined, 5, "text", []])("a result that is %j has no parts", (answer) => {
  const classified = classifyResult(answer as unknown as ToolCallResult);
  expect(classified).toEqual({ parts: [], isError: false });
  expect(resultText(classified)).not.toBe("");
});
