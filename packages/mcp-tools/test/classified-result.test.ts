import type { ContentBlock, ToolCallResult } from "@jackfield/mcp-core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ClassifiedResult, classifyResult, type ResultPart } from "../src/classified-result.ts";
import { withTextOfBytes } from "../src/content-bytes.ts";
import { CLAUDE_MEDIA, modelContent, resultText } from "../src/model-content.ts";

interface Row {
  readonly title: string;
  readonly result: ToolCallResult;
  readonly parts: readonly ResultPart[];
  readonly isError?: boolean;
  readonly text: string;
}

/** A PNG image of one pixel, and how other servers might send it. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const png = { kind: "media", media: "image", mimeType: "image/png", data: PNG, byteLength: 70 } as const;
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]).toString("base64");
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';
const base64 = (text: string | Uint8Array) => Buffer.from(text as string).toString("base64");
const blob = (mimeType: string | undefined, data: string): ContentBlock[] => [
  { type: "resource", resource: { uri: "a:b", blob: data, ...(mimeType && { mimeType }) } },
];

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
    title: "[T26] an image is only named in text",
    result: { content: [{ type: "image", data: PNG, mimeType: "image/png" }] },
    parts: [png],
    text: "[image: image/png, 70 bytes, not shown]",
  },
  {
    title: "audio becomes an audio part",
    result: { content: [{ type: "audio", data: "aGk=", mimeType: "audio/wav" }] },
    parts: [{ kind: "media", media: "audio", data: "aGk=", mimeType: "audio/wav", byteLength: 2 }],
    text: "[audio: audio/wav, 2 bytes, not shown]",
  },
  {
    title: "a text resource is shown with its URI",
    result: { content: [{ type: "resource", resource: { uri: "file:///a.md", text: "# A" } }] },
    parts: [{ kind: "resource-text", uri: "file:///a.md", text: "# A" }],
    text: "[resource: file:///a.md]\n# A",
  },
  {
    title: "bytes of no known type are named with their size and address",
    result: { content: blob(undefined, "AAEC") },
    parts: [{ kind: "unshown", what: "resource", uri: "a:b", byteLength: 3 }],
    text: "[resource: a:b (3 bytes), content not shown]",
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
      content: [{ type: "image", data: PNG, mimeType: "image/png" }],
      structuredContent: { content: [{ type: "image", data: PNG, mimeType: "image/png" }] },
    },
    parts: [png],
    text: "[image: image/png, 70 bytes, not shown]",
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
    title: "an image without a MIME type is what its bytes are",
    result: { content: unknownBlock({ type: "image", data: PNG }) },
    parts: [png],
    text: "[image: image/png, 70 bytes, not shown]",
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
    title: "a blank text block counts as no content",
    result: { content: [{ type: "text", text: " \n" }] },
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

describe("an image is what its bytes are", () => {
  it.each<[string, string, string, object]>([
    ["a sloppy name", "image/PNG", PNG, png],
    ["a parameter", "image/png; charset=binary", PNG, png],
    ["another image's name", "image/jpeg", PNG, png],
    ["a text's name", "text/plain", PNG, png],
    ["a data: URL", "image/png", `data:image/png;base64,${PNG}`, png],
    ["the URL-safe alphabet", "image/png", PNG.replaceAll("+", "-").replaceAll("/", "_"), png],
    ["line ends and no padding", "image/png", PNG.replace(/.{40}/g, "$&\r\n").replaceAll("=", ""), png],
    ["an alias", "image/jpg", JPEG, { kind: "media", mimeType: "image/jpeg" }],
    [
      "a type that no model takes",
      "image/bmp",
      base64("BM\0\0\0\0"),
      { kind: "unshown", mimeType: "image/bmp" },
    ],
    ["the name of an image, and other bytes", "image/png", base64("\u0001hello"), { kind: "unshown" }],
    ["an address in place of bytes", "image/png", "https://example.com/a.png", { kind: "unshown" }],
    ["no bytes", "image/png", " ", { kind: "unshown", mimeType: "image/png" }],
    ["SVG", "image/svg+xml", base64(SVG), { kind: "text", text: SVG }],
  ])("with %s", (_title, mimeType, data, part) => {
    expect(classifyResult({ content: [{ type: "image", data, mimeType }] }).parts).toMatchObject([part]);
    const [asResource] = classifyResult({ content: blob(mimeType, data) }).parts;
    const kind = (part as ResultPart).kind === "text" ? "resource-text" : (part as ResultPart).kind;
    expect(asResource).toMatchObject({ ...part, kind, uri: "a:b" });
  });
});

describe("bytes that are text", () => {
  const text = "Grüße, 漢字 🦀\n";
  it.each<[string | undefined, Uint8Array | string]>([
    ["text/plain", text],
    ["text/html; charset=utf-8", text],
    ["application/json", text],
    ["application/vnd.api+json", text],
    ["application/x-yaml", text],
    ["application/javascript", text],
    ["application/octet-stream", text],
    [undefined, text],
    ["text/csv; charset=utf-16le", Buffer.from(text, "utf16le")],
    ["text/plain", Buffer.from(`\ufeff${text}`, "utf16le")],
  ])("%s are shown as text", (mimeType, bytes) => {
    const content = blob(mimeType, base64(bytes));
    expect(classifyResult({ content }).parts).toEqual([{ kind: "resource-text", uri: "a:b", text }]);
    expect(withTextOfBytes(content)).toMatchObject([{ resource: { uri: "a:b", text } }]);
  });

  it.each<[string | undefined, Uint8Array]>([
    ["text/plain", Buffer.from([0xff, 0xfe, 0x41])],
    ["text/plain", Buffer.from([0x41, 0, 0x42])],
    [undefined, Buffer.from([0x41, 1, 0x42])],
    ["application/zip", Buffer.from("PK")],
  ])("%s that are none are named", (mimeType, bytes) => {
    const content = blob(mimeType, base64(bytes));
    expect(classifyResult({ content }).parts).toMatchObject([{ kind: "unshown", uri: "a:b" }]);
    expect(withTextOfBytes(content)).toBe(content);
  });

  it("a text that quotes the signature of a PDF stays a text", () => {
    const content = blob("text/markdown", base64("A PDF begins with %PDF-1.7."));
    expect(classifyResult({ content }).parts).toMatchObject([{ text: "A PDF begins with %PDF-1.7." }]);
  });
});

describe("nothing binary is written out", () => {
  const long = base64(Buffer.concat([Buffer.from(PNG, "base64"), Buffer.alloc(600, 7)]));
  const longJpeg = base64(Buffer.concat([Buffer.from(JPEG, "base64"), Buffer.alloc(600, 0xff)]));
  const zip = base64(Buffer.concat([Buffer.from("PK\x03\x04"), Buffer.alloc(600, 7)]));
  it.each<[string, ToolCallResult]>([
    ["a text that is base64", { content: [{ type: "text", text: long }] }],
    ["a data: URL in a text", { content: [{ type: "text", text: `![x](data:image/png;base64,${long})` }] }],
    [
      "structured content",
      { content: [], structuredContent: { shot: long, url: `data:image/png;base64,${long}` } },
    ],
    ["JSON that is a text", { content: [{ type: "text", text: JSON.stringify({ shot: long, at: 1 }) }] }],
    [
      "JSON with slashes as PHP writes them",
      { content: [{ type: "text", text: JSON.stringify({ shot: longJpeg }).replaceAll("/", "\\/") }] },
    ],
    ["a spreadsheet in JSON", { content: [], structuredContent: { file: zip } }],
    ["a sentence", { content: [{ type: "text", text: `Image: ${long} and more` }] }],
    ["a block of an unknown kind", { content: unknownBlock({ type: "chart", data: long }) }],
    ["a link", { content: [{ type: "resource_link", uri: `data:image/png;base64,${long}`, name: "x" }] }],
    [
      "an address",
      { content: [{ type: "resource", resource: { uri: `data:image/png;base64,${long}`, text: "a" } }] },
    ],
  ])("in %s", (_title, result) => {
    const text = resultText(classifyResult(result));
    expect(text).not.toContain(long.slice(0, 200));
    expect(text).not.toMatch(/\/{9}|(?:Bwc){9}/);
    expect(text).toContain("not shown]");
  });

  it("what stands around it stays", () => {
    const json = { content: [{ type: "text" as const, text: JSON.stringify({ shot: long, at: 1 }) }] };
    expect(resultText(classifyResult(json))).toBe('{"shot":"[image/png, 670 bytes, not shown]","at":1}');
  });

  it("a long word is a text, also if a part of it begins as base64 of an image does", () => {
    const text = `prefix${long}`;
    expect(resultText(classifyResult({ content: [{ type: "text", text }] }))).toBe(text);
  });

  it("a short base64 text is a text", () => {
    expect(resultText(classifyResult({ content: [{ type: "text", text: PNG }] }))).toBe(PNG);
  });
});

describe("an image that is too large for the model", () => {
  const png = (width: number, height: number, length = 40) => {
    const bytes = Buffer.alloc(length);
    Buffer.from(PNG, "base64").copy(bytes, 0, 0, 24);
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
    return classifyResult({
      content: [{ type: "image", mimeType: "image/png", data: bytes.toString("base64") }],
    });
  };

  it.each<[string, ClassifiedResult]>([
    ["pixels a side", png(1_280, 8_001)],
    ["bytes", png(640, 480, 3_750_001)],
  ])("in %s is named, with what it takes", (_what, result) => {
    expect(modelContent(result, CLAUDE_MEDIA)).toEqual({
      kind: "text",
      text: expect.stringMatching(
        /^\[image: image\/png, .+, not shown: too large, at most 3\.8 MB and 8000 pixels a side are\]$/,
      ),
    });
  });

  it("is shown to a model without such a limit, and one at the limit to all", () => {
    expect(modelContent(png(1_280, 8_001), { image: true }).kind).toBe("parts");
    expect(modelContent(png(8_000, 8_000, 3_750_000), CLAUDE_MEDIA).kind).toBe("parts");
  });

  it("is named as any other to a model that takes none", () => {
    const { text } = modelContent(png(1, 9_000), { ...CLAUDE_MEDIA, image: false }) as { text: string };
    expect(text).toBe("[image: image/png, 40 bytes, not shown]");
  });
});

describe("half of a surrogate pair", () => {
  const half = "cut \ud83d";
  it.each<[string, ToolCallResult]>([
    ["a text", { content: [{ type: "text", text: half }] }],
    ["structured content", { content: [], structuredContent: { title: half } }],
    ["the name of a member", { content: [], structuredContent: { list: [{ [half]: 1 }] } }],
    ["a resource", { content: [{ type: "resource", resource: { uri: half, text: half } }] }],
    [
      "a link",
      { content: [{ type: "resource_link", uri: "a:b", name: half, description: half, mimeType: half }] },
    ],
    ["a media type", { content: [{ type: "image", data: "AAEC", mimeType: half }] }],
    ["a block of an unknown kind", { content: unknownBlock({ type: "x", [half]: half }) }],
  ])("in %s is replaced", (_title, result) => {
    const { parts } = classifyResult(result);
    const texts = [resultText({ parts, isError: false, isForUser: false }), JSON.stringify(parts)];
    for (const text of texts) {
      expect(text.isWellFormed()).toBe(true);
      expect(text).toContain("\ufffd");
      expect(text).not.toMatch(/\\ud83d/i);
    }
  });
});

describe("a block for the user alone", () => {
  const secret: ContentBlock = { type: "text", text: "violet", annotations: { audience: ["user"] } };
  it("is not shown to a model, nor is structured content that repeats it", () => {
    const content: ContentBlock[] = [
      secret,
      { type: "text", text: "Done.", annotations: { audience: ["user", "assistant"] } },
    ];
    expect(classifyResult({ content, structuredContent: { note: "violet" } }).parts).toEqual([
      { kind: "text", text: "Done." },
    ]);
  });

  it("leaves a sentence if there is nothing else", () => {
    expect(resultText(classifyResult({ content: [secret] }))).toBe(
      "The tool's answer is shown to the user alone.",
    );
  });
});

describe("classifying a result", () => {
  it.each(TABLE)("$title", ({ result, parts, isError = false, text }) => {
    const classified = classifyResult(result);
    expect(classified).toEqual({ parts, isError, isForUser: false });
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
  expect(classified).toEqual({ parts: [], isError: false, isForUser: false });
  expect(resultText(classified)).not.toBe("");
});

it("whatever a server answers is read without throwing, and is well-formed", () => {
  const text = fc.string({ unit: "binary" });
  const block = fc.oneof(
    fc.record(
      {
        type: fc.constantFrom("text", "image", "audio", "resource", "resource_link", "x"),
        text,
        data: fc.oneof(text, fc.base64String()),
        mimeType: text,
        uri: text,
        name: text,
        resource: fc.record({ uri: text, text, blob: fc.base64String() }, { requiredKeys: ["uri"] }),
      },
      { requiredKeys: ["type"] },
    ),
    fc.anything(),
  );
  fc.assert(
    fc.property(
      fc.array(block, { maxLength: 4 }),
      fc.jsonValue({ stringUnit: "binary" }),
      (content, structuredContent) => {
        const classified = classifyResult({ content, structuredContent } as ToolCallResult);
        expect(resultText(classified).isWellFormed()).toBe(true);
        expect(JSON.stringify(classified)).not.toMatch(/\\ud[89a-f][0-9a-f]{2}/i);
      },
    ),
  );
});
