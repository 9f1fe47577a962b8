import { describe, expect, it } from "vitest";
import { classifyResult } from "../src/classified-result.ts";
import { isMedia } from "../src/media-part.ts";
import { resultText } from "../src/result-text.ts";

describe("media", () => {
  it.each([
    ["image/png", true],
    ["audio/mpeg", true],
    ["video/mp4", true],
    ["application/pdf", true],
    ["application/pdf-not", false],
    ["application/zip", false],
    ["text/plain", false],
  ])("a resource of type %s is media: %s", (mimeType, expected) => {
    expect(isMedia({ kind: "resource-blob", uri: "file:///a", data: "aGk=", mimeType })).toBe(expected);
  });

  it.each<[string, string, boolean]>([
    ["aGk=", "image/png", true],
    ["aGk", "image/png; charset=binary", true],
    ["", "image/png", false],
    [" \n", "image/png", false],
    ["https://example.org/a.png", "image/png", false],
    ["data:image/png;base64,aGk=", "image/png", false],
    ["aGk=", "", false],
    ["aGk=", "png", false],
    ["aGk=", "image/", false],
  ])("%j of type %j is media: %s", (data, mimeType, expected) => {
    expect(isMedia({ kind: "image", data, mimeType })).toBe(expected);
    expect(isMedia({ kind: "audio", data, mimeType })).toBe(expected);
    expect(isMedia({ kind: "resource-blob", uri: "file:///a", data, mimeType })).toBe(expected);
  });

  it("an image without a MIME type is still named in the text", () => {
    const image = { type: "image" as const, data: "aGk=", mimeType: "" };
    expect(resultText(classifyResult({ content: [image] }))).toBe("[image]");
  });

  it("a text resource is not media", () => {
    expect(isMedia({ kind: "resource-text", uri: "file:///a.png", text: "x" })).toBe(false);
  });
});
