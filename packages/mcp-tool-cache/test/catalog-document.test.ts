import { describe, expect, test } from "vitest";
import { readCatalogDocument, writeCatalogDocument } from "../src/catalog-document.ts";
import type { CatalogRecord } from "../src/catalog-succession.ts";
import { sampleEntry, sampleId } from "./catalog-samples.ts";

const seal = { id: sampleId("files"), key: new Uint8Array(32).fill(1) };
const record: CatalogRecord = { entry: sampleEntry(), suspect: false };
const text = writeCatalogDocument(record, seal);

/** A document as this version would write it, whatever its content. */
function sealed(content: unknown): string {
  return writeCatalogDocument({ entry: content as CatalogRecord["entry"], suspect: false }, seal);
}

describe("a document", () => {
  test("is JSON and gives back what was written", () => {
    const full: CatalogRecord = {
      suspect: true,
      entry: sampleEntry({
        tools: [{ name: "__proto__", inputSchema: { type: "object", "x-new": [null, "ü", "\ud83d\ude00"] } }],
        resources: [{ uri: "file:///a", name: "a" }],
        resourceTemplates: [{ uriTemplate: "file:///{p}", name: "p" }],
        prompts: [{ name: "ask" }],
        instructions: "Be brief.",
        serverInfo: { name: "files", version: "1" },
        capabilities: { tools: { listChanged: true } },
        prior: { era: "modern", at: 1, discover: { supportedVersions: ["2026-07-28"] } },
        ttlMs: 0,
        cacheScope: "private",
        lastOutcome: { ok: false, at: 1, tookMs: 2, code: "MCP_CONNECT_FAILED" },
        stale: true,
      }),
    };
    const written = writeCatalogDocument(full, seal);
    expect(JSON.parse(written)).toMatchObject({ version: 1 });
    expect(readCatalogDocument(written, seal)).toEqual(full);
  });

  test("is a miss when any one of its characters is another", () => {
    for (let index = 0; index < text.length; index += 1) {
      const other = text[index] === "0" ? "1" : "0";
      const changed = text.slice(0, index) + other + text.slice(index + 1);
      expect(readCatalogDocument(changed, seal), `character ${index}`).toBeUndefined();
    }
  });

  test("is a miss when it is cut off anywhere, or goes on", () => {
    for (let length = 0; length < text.length; length += 1) {
      expect(readCatalogDocument(text.slice(0, length), seal)).toBeUndefined();
    }
    expect(readCatalogDocument(`${text} `, seal)).toBeUndefined();
  });

  test.each(["0", "2", "01", "1.0"])("is a miss when it says version %s", (version) => {
    expect(readCatalogDocument(text.replace('"version":1', `"version":${version}`), seal)).toBeUndefined();
  });

  test("is a miss under another id or another key", () => {
    expect(readCatalogDocument(text, { ...seal, id: sampleId("other") })).toBeUndefined();
    expect(readCatalogDocument(text, { ...seal, key: new Uint8Array(32).fill(2) })).toBeUndefined();
  });

  test.each(["", "null", "[]", "{}", '{"tools":[]}', text.replace(/"checksum":"[0-9a-f]+",/, "")])(
    "%j is not one",
    (other) => expect(readCatalogDocument(other, seal)).toBeUndefined(),
  );
});

describe("an entry of another shape is a miss, even with the right checksum", () => {
  const shapes: readonly [what: string, entry: unknown][] = [
    ["no entry", null],
    ["a list", []],
    ["no server", { ...sampleEntry(), server: undefined }],
    ["a time that is no number", { ...sampleEntry(), listedAt: Number.NaN }],
    ["tools that are no list", { ...sampleEntry(), tools: {} }],
    ["a tool without a name", { ...sampleEntry(), tools: [{ inputSchema: {} }] }],
    ["a tool without a schema", { ...sampleEntry(), tools: [{ name: "a" }] }],
    ["a tool that is null", { ...sampleEntry(), tools: [null] }],
    ["a prompt without a name", { ...sampleEntry(), prompts: [{}] }],
    ["a ttl that is text", { ...sampleEntry(), ttlMs: "5" }],
    ["an unknown scope", { ...sampleEntry(), cacheScope: "everyone" }],
    ["an unknown era", { ...sampleEntry(), prior: { era: "future", at: 1 } }],
    ["a modern handshake without its result", { ...sampleEntry(), prior: { era: "modern", at: 1 } }],
    ["a stale mark that is no boolean", { ...sampleEntry(), stale: "yes" }],
  ];
  test.each(shapes)("%s", (_what, entry) => {
    expect(readCatalogDocument(sealed(entry), seal)).toBeUndefined();
  });
});
