import { createSecretKey } from "node:crypto";
import type { ToolDefinition } from "@jackfield/mcp-core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCatalogDocument, writeCatalogDocument } from "../src/catalog-document.ts";
import type { CatalogRecord } from "../src/catalog-succession.ts";
import { sampleEntry, sampleId } from "./catalog-samples.ts";

const seal = { id: sampleId("files"), key: createSecretKey(new Uint8Array(32).fill(1)) };
const record: CatalogRecord = { entry: sampleEntry(), suspect: false, expiresAt: 5_000 };
const text = writeCatalogDocument(record, seal);

/** A document as this version would write it, whatever its content. */
function sealed(content: unknown): string {
  return writeCatalogDocument(
    { entry: content as CatalogRecord["entry"], suspect: false, expiresAt: 1 },
    seal,
  );
}

describe("a document", () => {
  test("is JSON and gives back what was written", () => {
    const full: CatalogRecord = {
      suspect: true,
      staleSince: 3,
      expiresAt: 9,
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
    expect(
      readCatalogDocument(text, { ...seal, key: createSecretKey(new Uint8Array(32).fill(2)) }),
    ).toBeUndefined();
  });

  test.each(["", "null", "[]", "{}", '{"tools":[]}', text.replace(/"checksum":"[0-9a-f]+",/, "")])(
    "%j is not one",
    (other) => expect(readCatalogDocument(other, seal)).toBeUndefined(),
  );
});

test("[R65] no mutation of a document is believed, and none makes the reader throw", () => {
  const mutation = fc.record({
    at: fc.nat(text.length),
    cut: fc.nat(8),
    insert: fc.string({ maxLength: 4 }),
  });
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), (mutations) => {
      let changed = text;
      for (const { at, cut, insert } of mutations) {
        changed = changed.slice(0, at) + insert + changed.slice(at + cut);
      }
      return changed === text || readCatalogDocument(changed, seal) === undefined;
    }),
    { numRuns: 1_000 },
  );
});

test("[R65] whatever a sealed entry holds, reading it gives a whole entry or a miss", () => {
  const field = fc.constantFrom(...Object.keys(sampleEntry()), "prior", "ttlMs", "stale", "lastOutcome");
  fc.assert(
    fc.property(field, fc.jsonValue(), (name, value) => {
      const read = readCatalogDocument(sealed({ ...sampleEntry(), [name]: value }), seal);
      const { tools = [], listedAt = 0 } = read?.entry ?? {};
      const isTool = (tool: ToolDefinition) =>
        typeof tool.name === "string" && typeof tool.inputSchema === "object";
      return Number.isFinite(listedAt) && tools.every(isTool);
    }),
    { numRuns: 500 },
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
