import type { ContentBlock, GetPromptResult, ReadResourceResult } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { limitPrompt, limitResource } from "../../src/index.ts";

const says = (role: "user" | "assistant", text: string) => ({
  role,
  content: { type: "text", text } satisfies ContentBlock,
});

describe("limiting prompts", () => {
  test("texts of all messages share the limit, and a last message says what is missing", () => {
    const image: ContentBlock = { type: "image", data: "AAAAAAAA", mimeType: "a/b" };
    const prompt: GetPromptResult = {
      description: "d",
      messages: [
        says("user", "aaaa"),
        says("assistant", "bbbb"),
        says("user", "cccc"),
        { role: "user", content: image },
      ],
    };
    expect(limitPrompt(prompt, { maxResultChars: 9, maxBinaryBytes: 5 })).toEqual({
      description: "d",
      messages: [
        says("user", "aaaa"),
        says("assistant", "bb"),
        says(
          "user",
          "[This prompt was too long. Missing: 6 of 12 characters of text, a part of type image with 6 bytes.]",
        ),
      ],
    });
  });

  test("a prompt that fits is returned unchanged", () => {
    const prompt: GetPromptResult = { messages: [says("user", "x".repeat(50_000))] };
    expect(limitPrompt(prompt)).toBe(prompt);
  });

  test("an invalid limit is refused", () => {
    const invalid = expect.objectContaining({ code: "MCP_CONFIG_INVALID" });
    expect(() => limitPrompt({ messages: [] }, { maxResultChars: -1 })).toThrowError(invalid);
    expect(() => limitResource({ contents: [] }, { maxBinaryBytes: Number.NaN })).toThrowError(invalid);
  });
});

describe("limiting resources", () => {
  test("a long text is cut, a large blob left out, and a last text says what is missing", () => {
    const resource: ReadResourceResult = {
      contents: [
        { uri: "file:///b", blob: "AAAAAAAA" },
        { uri: "file:///a", text: "0123456789" },
      ],
    };
    expect(limitResource(resource, { maxResultChars: 24, maxBinaryBytes: 5 })).toEqual({
      contents: [
        { uri: "file:///a", text: "012345" },
        {
          uri: "file:///a",
          text: "[This resource was too long. Missing: 4 of 10 characters of text, a part of type resource with 6 bytes.]",
        },
      ],
    });
  });

  test("500 of 20,000 empty parts are left beside the notice", () => {
    const contents = Array.from({ length: 20_000 }, () => ({ uri: "a:", text: "" }));
    expect(limitResource({ contents }).contents).toHaveLength(501);
  });

  test("a resource that fits is returned unchanged, one that does not becomes a notice", () => {
    const resource: ReadResourceResult = { contents: [{ uri: "file:///a", text: "a" }] };
    expect(limitResource(resource)).toBe(resource);
    const { contents } = limitResource(resource, { maxResultChars: 1 });
    expect(contents).toEqual([
      { uri: "about:blank", text: "[This resource was too long. Missing: a resource.]" },
    ]);
  });
});
