import type { ReadResourceResult } from "@jackfield/mcp-core";
import { HumanMessage } from "@langchain/core/messages";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { langchainDocuments, langchainResourceBlocks } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const RESOURCE: ReadResourceResult = {
  contents: [
    { uri: "file:///a.md", mimeType: "text/markdown", text: "# A" },
    { uri: "file:///a.pdf", mimeType: "application/pdf", blob: "JVBERi0xLjQ=" },
    { uri: "file:///b.txt", text: "" },
    { uri: "file:///c.zip", mimeType: "application/zip", blob: "AAEC" },
  ],
};

describe("a resource", () => {
  it("becomes one document per text, with its source in the metadata", () => {
    const documents = langchainDocuments("files", RESOURCE);
    expect(documents.map(({ pageContent, metadata }) => ({ pageContent, metadata }))).toEqual([
      {
        pageContent: "# A",
        metadata: { source: "file:///a.md", server: "files", mimeType: "text/markdown" },
      },
      { pageContent: "", metadata: { source: "file:///b.txt", server: "files" } },
    ]);
  });

  it("becomes a document if its bytes are a text", () => {
    const blob = Buffer.from("# B").toString("base64");
    const contents = [{ uri: "file:///b.md", mimeType: "text/markdown", blob }];
    expect(langchainDocuments("files", { contents })).toMatchObject([{ pageContent: "# B" }]);
  });

  it("becomes no document when its text is null beside a blob", () => {
    const contents = [{ uri: "file:///a.zip", text: null as unknown as string, blob: "AAEC" }];
    expect(langchainDocuments("files", { contents })).toEqual([]);
  });

  it("becomes message blocks: PDFs as files, texts with their URI, other blobs by name", () => {
    expect(langchainResourceBlocks(RESOURCE)).toEqual([
      { type: "text", text: "[resource: file:///a.md]\n# A" },
      { type: "file", mimeType: "application/pdf", data: "JVBERi0xLjQ=" },
      { type: "text", text: "[resource: file:///b.txt]\n" },
      { type: "text", text: "[resource: file:///c.zip (application/zip, 3 bytes), content not shown]" },
    ]);
  });

  it("[T28] becomes no documents and no blocks without contents", () => {
    expect(langchainDocuments("files", { contents: [] })).toEqual([]);
    expect(langchainResourceBlocks({ contents: [] })).toEqual([]);
  });

  it("reaches a model as part of a message", async () => {
    const model = new ScriptedModel(["Read."]);
    const message = new HumanMessage({ contentBlocks: langchainResourceBlocks(RESOURCE) });
    await createAgent({ model }).invoke({ messages: [message] });
    expect(model.prompts[0]?.[0]?.contentBlocks).toContainEqual({
      type: "file",
      mimeType: "application/pdf",
      data: "JVBERi0xLjQ=",
    });
  });
});
