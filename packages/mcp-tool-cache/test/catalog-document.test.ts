import { createSecretKey } from "node:crypto";
import type { CatalogEntry } from "@jackfield/mcp-core";
import { unparsedText } from "@jackfield/mcp-tools/unparsed-schema";
import { casesOf } from "@jackfield/test-kit";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { readCatalogDocument, sealContent, writeCatalogDocument } from "../src/catalog-document.ts";
import type { CatalogRecord } from "../src/catalog-succession.ts";
import { sampleEntry, sampleId } from "./catalog-samples.ts";

const seal = { id: sampleId("files"), key: createSecretKey(new Uint8Array(32).fill(1)) };
const record: CatalogRecord = { entry: sampleEntry(), suspect: false, expiresAt: 5_000 };
const { text } = await writeCatalogDocument(record, seal);

/** An entry as it is written, each schema replaced by its length. */
const SCHEMA = '{"type":"object"}';
const written = { ...sampleEntry(), tools: [{ name: "read", inputSchema: SCHEMA.length }] };

/** A document with the right version and checksum, whatever its content. */
function sealed(entry: unknown, schemas = `[${SCHEMA}]`): string {
  return sealContent(`${JSON.stringify({ suspect: false, expiresAt: 1, entry })}\n${schemas}`, seal);
}

describe("a catalog document", () => {
  test("states version 2 and reads back as it was written", async () => {
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
    const { text: written } = await writeCatalogDocument(full, seal);
    expect(JSON.parse(written.split("\n", 1)[0] ?? "")).toMatchObject({ version: 2 });
    expect(await readCatalogDocument(written, seal)).toEqual(full);
  });

  test("is rejected when any one character is changed", async () => {
    for (let index = 0; index < text.length; index += 1) {
      const other = text[index] === "0" ? "1" : "0";
      const changed = text.slice(0, index) + other + text.slice(index + 1);
      expect(await readCatalogDocument(changed, seal), `character ${index}`).toBeUndefined();
    }
  });

  test("is rejected when it is truncated anywhere or has text appended", async () => {
    for (let length = 0; length < text.length; length += 1) {
      expect(await readCatalogDocument(text.slice(0, length), seal)).toBeUndefined();
    }
    expect(await readCatalogDocument(`${text} `, seal)).toBeUndefined();
  });

  test.each(["0", "1", "3", "02", "2.0"])("is rejected with version %s", async (version) => {
    expect(
      await readCatalogDocument(text.replace('"version":2', `"version":${version}`), seal),
    ).toBeUndefined();
  });

  test("is rejected under another id or another key", async () => {
    expect(await readCatalogDocument(text, { ...seal, id: sampleId("other") })).toBeUndefined();
    expect(
      await readCatalogDocument(text, { ...seal, key: createSecretKey(new Uint8Array(32).fill(2)) }),
    ).toBeUndefined();
  });

  test.each(["", "null", "[]", "{}", '{"tools":[]}', text.replace(/"checksum":"[0-9a-f]+",/, "")])(
    "is not %j",
    async (other) => expect(await readCatalogDocument(other, seal)).toBeUndefined(),
  );
});

describe("the document of thousands of tools", () => {
  const tools = Array.from({ length: 3_000 }, (_, index) => ({
    name: `tool${index}`,
    description: `Does ${index}, \u00fc \ud83d\ude00. `.repeat(4),
    inputSchema: { type: "object" as const, properties: { [`argument${index}`]: { type: "string" } } },
  }));
  const large: CatalogRecord = { entry: sampleEntry({ tools }), suspect: false, expiresAt: 5_000 };

  test("is packed, and reads back as it was written, each schema unparsed until it is read", async () => {
    const { text, bytes } = await writeCatalogDocument(large, seal);
    expect(text.length).toBeLessThan(bytes / 2);
    const read = await readCatalogDocument(text, seal);
    expect(unparsedText(read?.entry.tools?.[2_999] ?? {}, "inputSchema")).toBe(
      JSON.stringify(tools[2_999]?.inputSchema),
    );
    expect(read).toEqual(large);
    expect((await writeCatalogDocument(read as CatalogRecord, seal)).bytes).toBe(bytes);
  });

  test("is written and read in slices, between which other work has its turn", async () => {
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => {
      now += 1; // The work is counted, not measured.
      return now;
    });
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const { text } = await writeCatalogDocument(large, seal);
    const written = turns;
    await readCatalogDocument(text, seal);
    isDone = true;
    vi.restoreAllMocks();
    expect(written).toBeGreaterThan(15);
    expect(turns - written).toBeGreaterThan(15);
  });

  test("is rejected when a character is changed or it cannot be unpacked", async () => {
    const { text } = await writeCatalogDocument(large, seal);
    const changed = text.replace(/A/, "B");
    expect(await readCatalogDocument(changed, seal)).toBeUndefined();
    for (const packed of ["null", "[]", '[9,"AAAA"]', "[-1]", "{}", '["x","eJwDAAAAAAE="]'])
      expect(await readCatalogDocument(sealContent(`{"packed":${packed}}`, seal), seal)).toBeUndefined();
  });
});

test("[R65] every mutated document is rejected without a throw", async () => {
  const mutation = fc.record({
    at: fc.nat(text.length),
    cut: fc.nat(8),
    insert: fc.string({ maxLength: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
      let changed = text;
      for (const { at, cut, insert } of mutations) {
        changed = changed.slice(0, at) + insert + changed.slice(at + cut);
      }
      return changed === text || (await readCatalogDocument(changed, seal)) === undefined;
    }),
    casesOf(500, 100_000),
  );
});

const OPTIONAL = [
  "resources",
  "resourceTemplates",
  "prompts",
  "instructions",
  "serverInfo",
  "capabilities",
  "prior",
  "ttlMs",
  "cacheScope",
  "lastOutcome",
  "stale",
] as const;

/** Whether every member matches `CatalogEntry`, checked independently of the reader. */
function isWhole(entry: CatalogEntry): boolean {
  const { tools = [], resources = [], resourceTemplates = [], prompts = [], prior, lastOutcome } = entry;
  const {
    serverInfo,
    capabilities,
    instructions = "",
    ttlMs = 0,
    cacheScope = "public",
    stale = false,
  } = entry;
  const isMap = (value: unknown) => Object.prototype.toString.call(value) === "[object Object]";
  const areTexts = (...values: unknown[]) => values.every((value) => typeof value === "string");
  const areNumbers = (...values: unknown[]) => values.every(Number.isFinite);
  return (
    areTexts(entry.server, entry.credentials, instructions) &&
    areNumbers(entry.listedAt, ttlMs) &&
    tools.every(({ name, inputSchema }) => areTexts(name) && isMap(inputSchema)) &&
    resources.every(({ name, uri }) => areTexts(name, uri)) &&
    resourceTemplates.every(({ name, uriTemplate }) => areTexts(name, uriTemplate)) &&
    prompts.every(({ name }) => areTexts(name)) &&
    (serverInfo === undefined || areTexts(serverInfo.name, serverInfo.version)) &&
    (capabilities === undefined || isMap(capabilities)) &&
    (prior === undefined ||
      (areNumbers(prior.at) &&
        (prior.era === "legacy" || (prior.era === "modern" && isMap(prior.discover))))) &&
    ["public", "private"].includes(cacheScope) &&
    (lastOutcome === undefined ||
      (typeof lastOutcome.ok === "boolean" &&
        areNumbers(lastOutcome.at, lastOutcome.tookMs) &&
        areTexts(lastOutcome.code ?? ""))) &&
    typeof stale === "boolean"
  );
}

test("[R65] a sealed entry with any content reads as a whole entry or a miss", async () => {
  const field = fc.constantFrom(...Object.keys(written), ...OPTIONAL);
  const length = fc.oneof(fc.constant(SCHEMA.length), fc.integer(), fc.double(), fc.jsonValue());
  const tools = fc.array(fc.record({ name: fc.jsonValue(), inputSchema: length, outputSchema: length }));
  await fc.assert(
    fc.asyncProperty(field, fc.oneof(fc.jsonValue(), tools), fc.nat(3), async (name, value, schemas) => {
      const document = sealed({ ...written, [name]: value }, `[${Array(schemas).fill(SCHEMA)}]`);
      const entry = (await readCatalogDocument(document, seal))?.entry;
      return entry === undefined || isWhole(entry);
    }),
    casesOf(300, 5_000),
  );
});

test("an entry of the expected shape is read", async () => {
  expect((await readCatalogDocument(sealed(written), seal))?.entry).toEqual({
    ...sampleEntry(),
    tools: [{ name: "read", inputSchema: { type: "object" } }],
  });
});

describe("an entry of the wrong shape is a miss, even with the right checksum", () => {
  const tool = (change: object) => ({ ...written, tools: [{ ...written.tools[0], ...change }] });
  const shapes: readonly [what: string, entry: unknown][] = [
    ["no entry", null],
    ["a list", []],
    ["no server", { ...written, server: undefined }],
    ["a listedAt that is not a number", { ...written, listedAt: Number.NaN }],
    ["tools that are not a list", { ...written, tools: {} }],
    ["a tool without a name", tool({ name: undefined })],
    ["a tool without a schema", tool({ inputSchema: undefined })],
    ["a tool whose schema is null", tool({ inputSchema: null })],
    ["a tool whose schema is too short", tool({ inputSchema: SCHEMA.length - 1 })],
    ["a tool whose schema is too long", tool({ inputSchema: SCHEMA.length + 1 })],
    ["a tool whose output schema is missing", tool({ outputSchema: SCHEMA.length })],
    ["a schema that belongs to no tool", { ...written, tools: [] }],
    ["a tool that is null", { ...written, tools: [null] }],
    ["a prompt without a name", { ...written, prompts: [{}] }],
    ["a ttl that is text", { ...written, ttlMs: "5" }],
    ["an unknown scope", { ...written, cacheScope: "everyone" }],
    ["an unknown era", { ...written, prior: { era: "future", at: 1 } }],
    ["a modern handshake without its result", { ...written, prior: { era: "modern", at: 1 } }],
    ["a stale mark that is not a boolean", { ...written, stale: "yes" }],
    ["an outcome without ok", { ...written, lastOutcome: { at: 1, tookMs: 2 } }],
    ["an outcome without its time", { ...written, lastOutcome: { ok: true, tookMs: 2 } }],
    [
      "an outcome whose code is a number",
      { ...written, lastOutcome: { ok: false, at: 1, tookMs: 2, code: 3 } },
    ],
  ];
  test.each(shapes)("%s", async (_what, entry) => {
    expect(await readCatalogDocument(sealed(entry), seal)).toBeUndefined();
  });
});
