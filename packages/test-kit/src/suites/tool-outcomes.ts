import {
  type ContentBlock,
  ERROR_CODES,
  type ErrorCode,
  type JsonValue,
  McpError,
  type ToolCallResult,
} from "@jackfield/mcp-core";

/** What a model must receive for one part of a result. */
export type ExpectedPart =
  | { readonly text: string }
  | { readonly data: JsonValue }
  | { readonly media: string; readonly bytes: string };

/** The outcome of a call, and what every adapter must make of it. */
export type ToolOutcome =
  | {
      readonly title: string;
      readonly result: ToolCallResult;
      readonly isError: boolean;
      readonly parts: readonly ExpectedPart[];
    }
  | {
      readonly title: string;
      readonly error: McpError;
      /** Texts that the message for the model must contain. */
      readonly says: readonly string[];
    };

/** The rows with a result. */
export type ResultOutcome = Extract<ToolOutcome, { result: ToolCallResult }>;
/** The rows with an error. */
export type ErrorOutcome = Extract<ToolOutcome, { error: McpError }>;

/** Three bytes that are neither text nor an image, for types that nobody checks. */
const BYTES = "AAEC";
const SAMPLES: Readonly<Record<string, string>> = {
  "application/pdf": "JVBERi0xLjQKJSVFT0Y=",
  "image/gif": "R0lGODlhAQABAAAAACw=",
  "image/jpeg": "/9j/4AAQ",
  "image/png":
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "image/webp": "UklGRhoAAABXRUJQVlA4TA0AAAA=",
};
/** What a server may send in place of an image block. */
const SCREENSHOT = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(592)]).toString(
  "base64",
);
/** An image of 1,280 by 9,000 pixels, by its header, as a browser takes one of a whole page. */
const TALL = Buffer.concat([
  Buffer.from(SAMPLES["image/png"] ?? "", "base64").subarray(0, 16),
  Buffer.from([0, 0, 5, 0, 0, 0, 35, 40]),
  Buffer.alloc(24),
]).toString("base64");
const sample = (mimeType?: string) => SAMPLES[mimeType ?? ""] ?? BYTES;
const text = (value: string): ContentBlock => ({ type: "text", text: value });
const odd = (block: unknown): ContentBlock => block as ContentBlock;
const blob = (mimeType?: string): ContentBlock => ({
  type: "resource",
  resource: { uri: "file:///a", blob: sample(mimeType), ...(mimeType === undefined ? {} : { mimeType }) },
});
const image = (mimeType: string, bytes = mimeType): ContentBlock => ({
  type: "image",
  mimeType,
  data: sample(bytes),
});
const media = (mimeType: string): ExpectedPart => ({ media: mimeType, bytes: sample(mimeType) });

function answer(
  title: string,
  content: ContentBlock[],
  parts: readonly ExpectedPart[],
  rest: Partial<ToolCallResult> = {},
): ResultOutcome {
  return { title, result: { content, ...rest }, isError: rest.isError === true, parts };
}

const NOTHING = [{ text: "The tool returned nothing." }];
const ROWS = { rows: [{ id: 1 }], next: null };

const RESULTS: readonly ResultOutcome[] = [
  answer("a text", [text("one")], [{ text: "one" }]),
  answer("several texts", [text("one"), text("two")], [{ text: "one" }, { text: "two" }]),
  answer("a text that is JSON", [text('{"a":1}')], [{ text: '{"a":1}' }]),
  answer("a text in several scripts", [text("漢字 🦀 é")], [{ text: "漢字 🦀 é" }]),
  answer("[T28] no content", [], NOTHING),
  answer("an empty text", [text("")], NOTHING),
  answer("an empty text beside another", [text(""), text("a")], [{ text: "a" }]),
  answer(
    "[T26] an image",
    [{ type: "image", data: sample("image/png"), mimeType: "image/png" }],
    [media("image/png")],
  ),
  answer(
    "[T26] a text, an image and a text",
    [text("before"), { type: "image", data: sample("image/webp"), mimeType: "image/webp" }, text("after")],
    [{ text: "before" }, media("image/webp"), { text: "after" }],
  ),
  answer("audio", [{ type: "audio", data: BYTES, mimeType: "audio/wav" }], [media("audio/wav")]),
  answer("a document as a resource", [blob("application/pdf")], [media("application/pdf")]),
  answer("an image as a resource", [blob("image/jpeg")], [media("image/jpeg")]),
  answer("a video as a resource", [blob("video/mp4")], [media("video/mp4")]),
  answer(
    "a binary resource that no model reads",
    [blob("application/zip")],
    [{ text: "[resource: file:///a (application/zip, 3 bytes), content not shown]" }],
  ),
  answer(
    "a binary resource without a MIME type",
    [blob()],
    [{ text: "[resource: file:///a (3 bytes), content not shown]" }],
  ),
  answer(
    "a text resource",
    [{ type: "resource", resource: { uri: "file:///a.md", text: "# A" } }],
    [{ text: "[resource: file:///a.md]\n# A" }],
  ),
  answer(
    "a resource link",
    [{ type: "resource_link", uri: "file:///a.md", name: "notes", description: "Old." }],
    [{ text: "[link: notes <file:///a.md>] Old." }],
  ),
  answer("[T25] structured content alone", [], [{ data: ROWS }], { structuredContent: ROWS }),
  answer("[T25] a structured list alone", [], [{ data: [1, 2] }], { structuredContent: [1, 2] }),
  answer("a structured null alone", [], [{ data: null }], { structuredContent: null }),
  answer(
    "[T24] structured content that the text repeats",
    [text('{"next":null,"rows":[{"id":1}]}')],
    [{ text: '{"next":null,"rows":[{"id":1}]}' }],
    { structuredContent: ROWS },
  ),
  answer("[T24] a structured member that the text repeats", [text("line")], [{ text: "line" }], {
    structuredContent: { content: "line" },
  }),
  answer(
    "[T24] a structured member that the text repeats as JSON",
    [text('[{"name":"a"}]')],
    [{ text: '[{"name":"a"}]' }],
    { structuredContent: { entities: [{ name: "a" }] } },
  ),
  answer(
    "structured content that adds to the text",
    [text("Done.")],
    [{ text: "Done." }, { data: { rows: 3 } }],
    {
      structuredContent: { rows: 3 },
    },
  ),
  answer(
    "structured content beside an image",
    [{ type: "image", data: sample("image/png"), mimeType: "image/png" }],
    [media("image/png"), { data: { width: 1 } }],
    { structuredContent: { width: 1 } },
  ),
  answer(
    "an image under another name",
    [image("image/PNG; charset=binary", "image/png")],
    [media("image/png")],
  ),
  answer(
    "a screenshot of 9,000 pixels",
    [{ type: "image", data: TALL, mimeType: "image/png" }],
    [{ media: "image/png", bytes: TALL }],
  ),
  answer("a GIF", [image("image/gif")], [media("image/gif")]),
  answer(
    "an image that no model takes",
    [image("image/bmp")],
    [{ text: "[image: image/bmp, 3 bytes, not shown]" }],
  ),
  answer(
    "an image that is none",
    [image("image/png", "image/bmp")],
    [{ text: "[image: image/png, 3 bytes, not shown]" }],
  ),
  answer(
    "an SVG image",
    [{ type: "image", mimeType: "image/svg+xml", data: Buffer.from("<svg/>").toString("base64") }],
    [{ text: "<svg/>" }],
  ),
  answer(
    "a text file as bytes",
    [
      {
        type: "resource",
        resource: {
          uri: "file:///a.md",
          mimeType: "text/markdown",
          blob: Buffer.from("# A").toString("base64"),
        },
      },
    ],
    [{ text: "[resource: file:///a.md]\n# A" }],
  ),
  answer(
    "a text that is a screenshot in base64",
    [text(SCREENSHOT)],
    [{ text: "[image/png, 600 bytes, not shown]" }],
  ),
  answer("half of a surrogate pair", [text("cut \ud83d")], [{ text: "cut \ufffd" }]),
  answer("half of a surrogate pair in a name", [], [{ data: { "\ufffd": 1 } }], {
    structuredContent: { "\ud83d": 1 },
  }),
  answer("a blank text beside an image", [text(" \n"), image("image/png")], [media("image/png")]),
  answer("a blank text", [text(" \n")], NOTHING),
  answer(
    "a text for the user alone",
    [{ type: "text", text: "violet", annotations: { audience: ["user"] } }, text("Done.")],
    [{ text: "Done." }],
  ),
  answer(
    "nothing but a text for the user alone",
    [{ type: "text", text: "violet", annotations: { audience: ["user"] } }],
    [{ text: "The tool's answer is shown to the user alone." }],
  ),
  answer("[T23] an error", [text("no such row")], [{ text: "no such row" }], { isError: true }),
  answer(
    "[T23] an error with structured content",
    [text("no such row")],
    [{ text: "no such row" }, { data: { row: 7 } }],
    { isError: true, structuredContent: { row: 7 } },
  ),
  answer("an error without content", [], [{ text: "The tool reported an error without a message." }], {
    isError: true,
  }),
  answer("[T27] a block of an unknown kind", [odd({ type: "x", a: 1 })], [{ text: '{"type":"x","a":1}' }]),
  answer(
    "an image without bytes and MIME type",
    [odd({ type: "image", data: "a" })],
    [{ text: "[image, not shown]" }],
  ),
  answer("a block that is null", [odd(null)], [{ text: "null" }]),
  answer("a result without content", undefined as unknown as ContentBlock[], NOTHING),
  answer("a result with the server's metadata", [text("a")], [{ text: "a" }], { _meta: { "x/y": 1 } }),
  answer("a result with a forged mcpError", [text("a")], [{ text: "a" }], {
    mcpError: { code: "MCP_INTERNAL", message: "forged" },
  } as Partial<ToolCallResult>),
];

const PLACE = { server: "fake", tool: "ask", phase: "call" } as const;
const NAMED = ['tool "ask"', 'MCP server "fake"'];
const MAY_HAVE_RUN = "it may have run";

/** Every code except the abort, which is not reported to models. */
const ERRORS: readonly ErrorOutcome[] = (Object.keys(ERROR_CODES) as ErrorCode[])
  .filter((code) => code !== "MCP_ABORTED")
  .map((code) => ({
    title: `the error ${code}`,
    error: new McpError(code, "The reason.", { ...PLACE, outcome: "not-sent" }),
    says: [...NAMED, code, "The reason.", ...(code === "MCP_OUTCOME_UNKNOWN" ? [MAY_HAVE_RUN] : [])],
  }));

const UNKNOWN: readonly ErrorOutcome[] = (
  ["MCP_SESSION_LOST", "MCP_SERVER_EXITED", "MCP_CALL_TIMEOUT", "MCP_CLOSED"] as const
).map((code) => ({
  title: `the error ${code} of a call that may have run`,
  error: new McpError(code, "The reason.", { ...PLACE, outcome: "unknown" }),
  says: [...NAMED, code, MAY_HAVE_RUN, "Do not simply repeat it"],
}));

/** The possible outcomes of a call: one table for all adapters, so that a model reads the same in each framework. */
export const TOOL_OUTCOMES: readonly ToolOutcome[] = [...RESULTS, ...ERRORS, ...UNKNOWN];
