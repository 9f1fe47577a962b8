import { ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { contentAndArtifact } from "../src/tool-message.ts";

const blob = (mimeType: string) => ({
  type: "resource" as const,
  resource: { uri: "file:///a", blob: "aGk=", mimeType },
});
const block = (type: string, mimeType: string) => ({ type, mimeType, data: "aGk=" });

describe("the content of a tool message", () => {
  it.each([
    ["image/png", "image"],
    ["audio/wav", "audio"],
    ["video/mp4", "video"],
    ["application/pdf", "file"],
  ])("holds a resource of type %s as a standard content block", (mimeType, type) => {
    const [content] = contentAndArtifact({ content: [blob(mimeType)] }, { name: "ask" });
    expect(content).toEqual([block(type, mimeType)]);
    const message = new ToolMessage({ content: content as never, tool_call_id: "1" });
    expect(message.contentBlocks).toEqual([block(type, mimeType)]);
  });

  it("takes the block type from the MCP content type, not from the MIME type", () => {
    const sound = { type: "audio" as const, data: "aGk=", mimeType: "application/ogg" };
    const [content] = contentAndArtifact({ content: [sound] }, { name: "ask" });
    expect(content).toEqual([block("audio", "application/ogg")]);
  });

  it("names a binary resource that no model can read", () => {
    const [content] = contentAndArtifact({ content: [blob("application/zip")] }, { name: "ask" });
    expect(content).toBe("[resource: file:///a (application/zip), content not shown]");
  });

  it.each([
    ["", "image/png", "[image: image/png]"],
    [" ", "image/png", "[image: image/png]"],
    ["https://example.org/a.png", "image/png", "[image: image/png]"],
    ["data:image/png;base64,aGk=", "image/png", "[image: image/png]"],
    ["aGk=", "", "[image]"],
  ])("names an image with data %j and MIME type %j instead of holding it", (data, mimeType, expected) => {
    const [content] = contentAndArtifact({ content: [{ type: "image", data, mimeType }] }, { name: "ask" });
    expect(content).toBe(expected);
  });

  it("[T28] says that the tool returned nothing when the result is empty", () => {
    const [content] = contentAndArtifact({ content: [] }, { name: "ask" });
    expect(content).toBe("The tool returned nothing.");
  });

  it("keeps the image of an error result", () => {
    const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
    const [message] = contentAndArtifact(
      { content: [image], isError: true },
      { name: "ask", toolCallId: "1" },
    );
    expect(message).toMatchObject({
      status: "error",
      tool_call_id: "1",
      content: [block("image", "image/png")],
    });
  });
});
