import { describe, expect, it } from "vitest";
import { describeToolResult } from "../../src/offline-model/tool-result-text.ts";

const PNG = "iVBORw0KGgo=";

describe("the offline model's text for a tool result", () => {
  it.each([
    ["plain text", "Echo: hi", "Echo: hi"],
    ["JSON that is not a list of parts", '[{"name":"Anna"}]', '[{"name":"Anna"}]'],
    ["text that only begins like JSON", "[FILE] a.txt", "[FILE] a.txt"],
    [
      "text parts",
      [
        { type: "text", text: "one" },
        { type: "text", text: "two" },
      ],
      "one\ntwo",
    ],
    ["an empty text", "", "The tool returned nothing."],
    ["no content", null, "The tool returned nothing."],
    [
      "an image in a file part, written as JSON",
      JSON.stringify([
        { type: "text", text: "Here:" },
        { type: "file", mediaType: "image/png", data: { type: "data", data: PNG } },
      ]),
      "Here:\nThe tool returned an image (image/png).",
    ],
    [
      "an image block",
      [{ type: "image", data: PNG, mimeType: "image/jpeg" }],
      "The tool returned an image (image/jpeg).",
    ],
    [
      "an image URL",
      [{ type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } }],
      "The tool returned an image (image/png).",
    ],
    [
      "an audio block",
      [{ type: "audio", data: PNG, mime_type: "audio/wav" }],
      "The tool returned a file (audio/wav).",
    ],
    ["a part of an unknown kind", [{ type: "hologram" }], "The tool returned content of type hologram."],
  ])("%s", (_title, content, text) => {
    expect(describeToolResult(content)).toBe(text);
  });

  it("cuts a long result and marks the cut", () => {
    const said = describeToolResult("x".repeat(5_000));
    expect(said).toMatch(/^x{2000}… \(cut\)$/);
  });
});
