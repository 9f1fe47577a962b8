import type { ProtocolEra, ToolDefinition } from "@jackfield/mcp-core";
import { expect, test } from "vitest";
import { type ConnectorBench, failureOf, never, paramsOf } from "./connector-under-test.ts";

const METHOD_NOT_FOUND = { code: -32601, message: "Method not found" };

/** A tool with the required members and many that are in no version of the specification. */
const STRANGE_TOOL: ToolDefinition = {
  "x-first": [1, { deep: null }],
  name: "strange",
  description: "Ünïcödé \u2028 and 😀",
  inputSchema: {
    type: "object",
    $schema: "https://json-schema.org/draft/2020-12/schema",
    "x-vendor": { z: 1, a: 2 },
    properties: { q: { type: ["string", "null"], "x-ui": "wide" } },
    unevaluatedProperties: false,
  },
  outputSchema: { type: "object", "x-out": true },
  annotations: { readOnlyHint: true, "x-cost": 3 },
  _meta: { "vendor.example/key": { kept: [true, false] } },
  icons: [{ src: "data:,", "x-size": 1.5 }],
  "x-last": "",
} as ToolDefinition;

const SOMETHING_ELSE = { inputSchema: 1 } as unknown as ToolDefinition;

/** Tests the lists of a session. */
export function describeLists({ open }: ConnectorBench, era: ProtocolEra): void {
  test("a list joins all pages in the server's order", async () => {
    const tools = Array.from({ length: 7 }, (_, index) => ({ ...STRANGE_TOOL, name: `tool${6 - index}` }));
    const subject = await open({ tools, pageSize: 2 });
    const { items } = await subject.session.list("tools", { signal: never });
    expect(items.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    expect(paramsOf(subject, "tools/list").map(({ cursor }) => cursor)).toEqual([undefined, "2", "4", "6"]);
  });

  test("a tool keeps every field in its order, byte for byte", async () => {
    const { session } = await open({ tools: [STRANGE_TOOL] });
    const { items } = await session.list("tools", { signal: never });
    expect(JSON.stringify(items)).toBe(JSON.stringify([STRANGE_TOOL]));
  });

  test("changing a returned list does not change the next one", async () => {
    const { session } = await open({ tools: [{ ...STRANGE_TOOL, inputSchema: { type: "object" } }] });
    const [tool] = (await session.list("tools", { signal: never })).items;
    if (tool) tool.inputSchema.required = ["everything"];
    const [again] = (await session.list("tools", { signal: never })).items;
    expect(again?.inputSchema).toEqual({ type: "object" });
  });

  test("a kind the server does not announce is empty, without a request", async () => {
    const resources = [{ uri: "memo://a", name: "a", "x-kept": 1 }];
    const subject = await open({ resources });
    expect((await subject.session.list("resources", { signal: never })).items).toEqual(resources);
    expect((await subject.session.list("resourceTemplates", { signal: never })).items).toEqual([]);
    expect((await subject.session.list("prompts", { signal: never })).items).toEqual([]);
    expect(paramsOf(subject, "prompts/list")).toEqual([]);
  });

  test("a list that is announced but not served fails, and the others work", async () => {
    const { session } = await open({ prompts: [], errorOn: { "prompts/list": METHOD_NOT_FOUND } });
    expect(await failureOf(session.list("prompts", { signal: never }))).toMatchObject({
      code: "MCP_REQUEST_REJECTED",
      rpcCode: -32601,
      phase: "list",
    });
    expect((await session.list("tools", { signal: never })).items).toHaveLength(4);
  });

  test("a list that never ends is rejected", async () => {
    const subject = await open({ endlessPages: true });
    const error = await failureOf(subject.session.list("tools", { signal: never }));
    expect(error).toMatchObject({ code: "MCP_LIMIT_EXCEEDED", phase: "list", server: subject.server.name });
    expect(paramsOf(subject, "tools/list").length).toBeLessThanOrEqual(64);
  });

  test("a list whose cursor repeats ends with what came", async () => {
    const subject = await open({ repeatCursor: true });
    const { items } = await subject.session.list("tools", { signal: never });
    expect(items.length).toBeGreaterThan(0);
    expect(paramsOf(subject, "tools/list").length).toBe(2);
  });

  test("a malformed tool is dropped, and the others keep every field", async () => {
    const { session } = await open({ tools: [STRANGE_TOOL, SOMETHING_ELSE] });
    const { items } = await session.list("tools", { signal: never });
    expect(JSON.stringify(items)).toBe(JSON.stringify([STRANGE_TOOL]));
  });

  test("a list with nothing but malformed tools is rejected", async () => {
    const { session } = await open({ tools: [SOMETHING_ELSE] });
    expect(await failureOf(session.list("tools", { signal: never }))).toMatchObject({
      code: "MCP_PROTOCOL_VIOLATED",
      phase: "list",
    });
  });

  if (era === "modern")
    test("a list carries the server's ttlMs and cacheScope", async () => {
      const { session } = await open({ ttlMs: 5000 });
      expect(await session.list("tools", { signal: never })).toMatchObject({
        ttlMs: 5000,
        cacheScope: "private",
      });
    });
}
