import type { ToolCallResult } from "@jackfield/mcp-core";
import { ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import type { MediaSupport } from "../src/index.ts";
import { contentAndArtifact } from "../src/tool-message.ts";

const EVERYTHING = { image: true, audio: true, video: true, document: true };
const shown = (result: ToolCallResult, media: MediaSupport = EVERYTHING) =>
  contentAndArtifact(
    result,
    { name: "ask", toolCallId: "1" },
    { media, artifact: "full", throwErrors: false },
  );

const SAMPLES: Readonly<Record<string, string>> = {
  "image/png":
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "application/pdf": "JVBERi0xLjQ=",
};
const sample = (mimeType: string) => SAMPLES[mimeType] ?? "AAEC";
const blob = (mimeType: string) => ({
  type: "resource" as const,
  resource: { uri: "file:///a", blob: sample(mimeType), mimeType },
});
const block = (type: string, mimeType: string) => ({ type, mimeType, data: sample(mimeType) });

describe("the content of a tool message", () => {
  it.each([
    ["image/png", "image"],
    ["audio/wav", "audio"],
    ["video/mp4", "video"],
    ["application/pdf", "file"],
  ])("holds a resource of type %s as a standard content block", (mimeType, type) => {
    const [content] = shown({ content: [blob(mimeType)] });
    expect(content).toEqual([block(type, mimeType)]);
    const message = new ToolMessage({ content: content as never, tool_call_id: "1" });
    expect(message.contentBlocks).toEqual([block(type, mimeType)]);
  });

  it("takes the block type from the MCP content type, not from the MIME type", () => {
    const sound = { type: "audio" as const, data: "AAEC", mimeType: "application/ogg" };
    const [content] = shown({ content: [sound] });
    expect(content).toEqual([block("audio", "application/ogg")]);
  });

  it("names a binary resource that no model can read", () => {
    const [content] = shown({ content: [blob("application/zip")] });
    expect(content).toBe("[resource: file:///a (application/zip, 3 bytes), content not shown]");
  });

  it.each([
    ["", "image/png", "[image: image/png, not shown]"],
    ["https://example.org/a.png", "image/png", "[image: image/png, not shown]"],
    ["data:image/png;base64,AAEC", "image/png", "[image: image/png, 3 bytes, not shown]"],
    ["AAEC", "", "[image: 3 bytes, not shown]"],
  ])("names an image with data %j and MIME type %j instead of holding it", (data, mimeType, expected) => {
    const [content] = shown({ content: [{ type: "image", data, mimeType }] });
    expect(content).toBe(expected);
  });

  it("[T28] says that the tool returned nothing when the result is empty", () => {
    const [content] = shown({ content: [] });
    expect(content).toBe("The tool returned nothing.");
  });

  it("says that an error is one, since packages of providers drop the status", () => {
    const image = { type: "image" as const, data: sample("image/png"), mimeType: "image/png" };
    const [message] = shown({ content: [{ type: "text", text: "3 rows" }, image], isError: true });
    expect(message).toMatchObject({
      status: "error",
      tool_call_id: "1",
      content: [
        { type: "text", text: "The tool reported an error:" },
        { type: "text", text: "3 rows" },
        block("image", "image/png"),
      ],
    });
    const [plain] = shown({ content: [{ type: "text", text: "3 rows" }], isError: true });
    expect(plain).toMatchObject({ content: "The tool reported an error: 3 rows" });
  });
});
