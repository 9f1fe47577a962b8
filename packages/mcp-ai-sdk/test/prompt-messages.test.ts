import * as ai7 from "ai";
import * as ai6 from "ai6";
import { describe, expect, it } from "vitest";
import { aiSdkPromptMessages, aiSdkResourceParts } from "../src/index.ts";
import { scriptedModel } from "./scripted-model.ts";

const PROMPT = aiSdkPromptMessages({
  messages: [
    { role: "user", content: { type: "text", text: "What is this?" } },
    { role: "user", content: { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" } },
    { role: "assistant", content: { type: "resource", resource: { uri: "file:///a.md", text: "# A" } } },
  ],
});
const RESOURCE = aiSdkResourceParts({
  contents: [
    { uri: "file:///a.pdf", blob: "JVBERi0xLjQ=", mimeType: "application/pdf" },
    { uri: "file:///a.txt", text: "a" },
  ],
});

describe("a prompt", () => {
  it("becomes messages with media as files", () => {
    expect(PROMPT).toEqual([
      { role: "user", content: [{ type: "text", text: "What is this?" }] },
      { role: "user", content: [{ type: "file", data: "iVBORw0KGgo=", mediaType: "image/png" }] },
      { role: "assistant", content: [{ type: "text", text: "[resource: file:///a.md]\n# A" }] },
    ]);
  });
});

describe("a resource", () => {
  it("becomes message parts", () => {
    expect(RESOURCE).toEqual([
      { type: "file", data: "JVBERi0xLjQ=", mediaType: "application/pdf" },
      { type: "text", text: "[resource: file:///a.txt]\na" },
    ]);
  });
});

describe("data that is not base64", () => {
  it.each(["https://example.org/a.png", "data:image/png,%89PNG", "%%%"])(
    "is only named, never passed on as a URL to fetch: %s",
    (data) => {
      const named = [{ type: "text", text: "[image: image/png, not shown]" }];
      const content = { type: "image" as const, data, mimeType: "image/png" };
      expect(aiSdkPromptMessages({ messages: [{ role: "user", content }] })).toEqual([
        { role: "user", content: named },
      ]);
      const contents = [{ uri: "file:///a.png", blob: data, mimeType: "image/png" }];
      expect(aiSdkResourceParts({ contents })).toEqual([
        { type: "text", text: "[resource: file:///a.png (image/png), content not shown]" },
      ]);
    },
  );
});

describe("prompt messages and resource parts", () => {
  it.each([
    [
      "7",
      (model: ReturnType<typeof scriptedModel>) =>
        ai7.generateText({ model: model.v7, messages: [...PROMPT, { role: "user", content: RESOURCE }] }),
    ],
    [
      "6",
      (model: ReturnType<typeof scriptedModel>) =>
        ai6.generateText({ model: model.v6, messages: [...PROMPT, { role: "user", content: RESOURCE }] }),
    ],
  ])("are accepted by generateText of AI SDK %s", async (_major, generate) => {
    const model = scriptedModel(["Done."]);
    expect((await generate(model)).text).toBe("Done.");
    const sent = JSON.stringify(model.calls[0]?.prompt);
    for (const part of ["What is this?", "image/png", "# A", "application/pdf"]) expect(sent).toContain(part);
  });
});
