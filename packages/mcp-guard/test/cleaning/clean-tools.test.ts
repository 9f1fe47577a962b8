import { markUnparsed } from "@jackfield/mcp-tools/unparsed-schema";
import { describe, expect, test } from "vitest";
import { cleanTools } from "../../src/cleaning/clean-tools.ts";
import { offeredTool } from "../tool-fixture.ts";

const policy = cleanTools();

describe("cleaning tool definitions", () => {
  test("a tool with nothing to clean is offered as the same object", () => {
    const tool = offeredTool({ description: "Reads a file. 👩🏽‍💻", annotations: { readOnlyHint: true } });
    expect(policy(tool)).toBe(tool);
  });

  test("titles and descriptions are cleaned wherever a model reads them", () => {
    const tool = offeredTool({
      title: "Read\u001b[31m",
      description: "Reads\u200b a file",
      inputSchema: {
        type: "object",
        description: "in\u{e0041}",
        properties: { path: { description: "p\u202eath" } },
      },
      outputSchema: { title: "out\u0007" },
      annotations: { title: "T\u2063" },
    });
    expect(policy(tool)).toMatchObject({
      description: "Reads a file",
      definition: {
        title: "Read",
        description: "Reads a file",
        inputSchema: { description: "in", properties: { path: { description: "path" } } },
        outputSchema: { title: "out" },
        annotations: { title: "T" },
      },
    });
  });

  test("enum values and patterns are left unchanged", () => {
    const properties = { path: { enum: ["a\u200b", "\t", "\n", "\r\n"], pattern: "\u200b" } };
    const tool = offeredTool({ description: "x\u200b", inputSchema: { type: "object", properties } });
    expect(policy(tool)).toMatchObject({ definition: { inputSchema: { properties } } });
  });

  const HIDING = [
    "read\u200bfile",
    "read\u0000file",
    "read\u{e0041}",
    "\u202eelif",
    "re\u00adad",
    "\ufeffread",
  ];

  test.each(HIDING)("[T54] a tool called %j is not offered", (name) => {
    expect(policy(offeredTool({ name }))).toEqual({ blocked: expect.stringMatching(/^its name holds/) });
  });

  test.each(HIDING)("[T55] a tool with an argument called %j at any depth is not offered", (name) => {
    const blocked = expect.stringMatching(/^the name of an argument holds/);
    const inner = { type: "object" as const, properties: { [name]: {} } };
    expect(policy(offeredTool({ inputSchema: inner }))).toEqual({ blocked });
    const nested = { anyOf: [{ items: { $defs: { x: inner } } }] };
    expect(policy(offeredTool({ inputSchema: { type: "object", ...nested } }))).toEqual({ blocked });
    expect(policy(offeredTool({ outputSchema: nested }))).toEqual({ blocked });
  });

  test.each(["enum", "const", "default", "examples"])(
    "[T55] a tool with an invisible character in its %s is not offered",
    (keyword) => {
      const properties = { path: { [keyword]: [{ a: "x\u{e0041}" }] } };
      expect(policy(offeredTool({ inputSchema: { type: "object", properties } }))).toEqual({
        blocked: "a value of an argument holds the invisible character U+E0041",
      });
    },
  );

  test.each(["x\u{e0101}", "|\u{e0156}", "🏴\u{e0069}\u{e0067}\u{e007f}"])(
    "[T55] withholds a tool whose default value carries a hidden message: %j",
    (value) => {
      const properties = { path: { default: value } };
      expect(policy(offeredTool({ inputSchema: { type: "object", properties } }))).toEqual({
        blocked: expect.stringMatching(/^a value of an argument holds the invisible character U\+E0/),
      });
    },
  );

  test.each([
    ["an ideographic variant", "葛\u{e0100}"],
    ["an emoji style", "#\ufe0f"],
    ["a mathematical variant", "∩\ufe00"],
    ["the flag of England", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"],
  ])("[T55] withholds a tool whose name or argument holds %s, though a text may", (_, name) => {
    const blocked = expect.stringMatching(/holds an invisible character$/);
    expect(policy(offeredTool({ name }))).toEqual({ blocked });
    const inputSchema = { type: "object" as const, properties: { [name]: {} } };
    expect(policy(offeredTool({ inputSchema }))).toEqual({ blocked });
  });

  test.each(["enum", "const", "default", "examples"])(
    "[T54] a tool with control characters in its %s is not offered",
    (keyword) => {
      for (const value of ["\u001b[31m", "\u009b2J", "\u0007", "\u007f", "over\rwritten"]) {
        const properties = { path: { [keyword]: [{ a: value }] } };
        expect(policy(offeredTool({ inputSchema: { type: "object", properties } }))).toEqual({
          blocked: "a value of an argument holds control characters",
        });
      }
    },
  );

  const HIDDEN = "a\u{e0041}\u200b\u001b[31mb";

  test("[T55] every text of a schema is cleaned, whatever its keyword", () => {
    const texts = (text: string) => ({
      type: "object" as const,
      "x-note": text,
      "x-list": [text, { note: text }],
      description: { text },
      definitions: text,
      properties: { path: { type: text, format: text, enumNames: [text], anyOf: [{ $ref: text }] } },
      dependencies: { path: { title: text } },
    });
    const tool = offeredTool({ inputSchema: texts(HIDDEN), outputSchema: texts(HIDDEN) });
    const definition = { inputSchema: texts("ab"), outputSchema: texts("ab") };
    expect(policy(tool)).toMatchObject({ definition });
  });

  test.each([
    { [`x-${HIDDEN}`]: 1 },
    { "x-labels": { [HIDDEN]: "a" } },
    { "x\u200b": 1 },
    { "x\u0000": 1 },
    { items: [{ [HIDDEN]: true }] },
  ])("[T55] a tool with hidden text in a keyword name is not offered: %j", (keywords) => {
    expect(policy(offeredTool({ inputSchema: { type: "object", ...keywords } }))).toEqual({
      blocked: expect.stringMatching(/^the name of a keyword holds/),
    });
  });

  test.each([
    { required: ["a\u200b"] },
    { dependentRequired: { a: ["\u200bq"] } },
    { dependentRequired: { "\u200bq": ["a"] } },
    { dependencies: { a: ["\u200bq"] } },
    { dependencies: { "\u200bq": ["a"] } },
    { properties: { a: { required: ["\u001b[2J"] } } },
  ])("[T55] a tool that requires an argument name with hidden text is not offered: %j", (keywords) => {
    expect(policy(offeredTool({ inputSchema: { type: "object", ...keywords } }))).toEqual({
      blocked: expect.stringMatching(/^the name of an argument holds/),
    });
  });

  test("a tool with hidden text nested too deeply to clean is not offered", () => {
    const nested = (keyword: string, innermost: unknown) => {
      let schema = innermost;
      for (let level = 0; level < 100; level += 1) schema = { [keyword]: schema };
      return { type: "object" as const, items: schema, description: "größe" };
    };
    const offer = (inputSchema: { readonly type: "object" }) => policy(offeredTool({ inputSchema }));
    for (const keyword of ["items", "default", "properties"]) {
      const blocked = "its schema is nested too deeply";
      expect(offer(nested(keyword, { title: HIDDEN }))).toEqual({ blocked });
      const tool = offeredTool({ inputSchema: nested(keyword, { title: "plain" }) });
      expect(policy(tool)).toBe(tool);
    }
  });

  test("names and values in any script pass unchanged", () => {
    const properties = { größe: { enum: ["खिलाड़ी", "می‌خواهم", "👩🏽‍💻"] }, 名前: {} };
    const more = { required: ["名前"], dependentRequired: { größe: ["名前"] }, "x-größe": ["👩🏽‍💻"] };
    const tool = offeredTool({ name: "検索", inputSchema: { type: "object", properties, ...more } });
    expect(policy(tool)).toBe(tool);
  });

  test("data values stay unchanged, and prose under arguments named like keywords is cleaned", () => {
    const hidden = "a\u200bb";
    const data = { const: { title: hidden }, default: { description: hidden }, enum: [{ title: hidden }] };
    const inputSchema = {
      type: "object" as const,
      properties: {
        x: data,
        title: { description: hidden },
        default: { title: hidden },
        enum: { anyOf: [{ title: hidden }] },
      },
    };
    expect(policy(offeredTool({ inputSchema }))).toMatchObject({
      definition: {
        inputSchema: {
          properties: {
            x: data,
            title: { description: "ab" },
            default: { title: "ab" },
            enum: { anyOf: [{ title: "ab" }] },
          },
        },
      },
    });
  });
});

describe("cleaning tools with unparsed schemas", () => {
  /** A tool as a catalog gives it, and a record of each parse of its schema. */
  function unparsedTool(inputSchema: { readonly type: "object"; readonly [keyword: string]: unknown }) {
    const parses: string[] = [];
    const parse = () => {
      parses.push("parsed");
      return inputSchema;
    };
    const tool = offeredTool();
    Object.defineProperty(tool.definition, "inputSchema", {
      enumerable: true,
      configurable: true,
      get: parse,
    });
    markUnparsed(tool.definition, { textOf: () => JSON.stringify(inputSchema) });
    return { tool, parses };
  }

  test("a tool with nothing to clean is offered, and its schema stays unparsed", () => {
    const schema = {
      type: "object" as const,
      description: 'a "path",\n\tlike C:\\temp',
      properties: { path: {} },
    };
    const { tool, parses } = unparsedTool(schema);
    expect(cleanTools()(tool)).toBe(tool);
    expect(parses).toEqual([]);
  });

  test.each(["\u200b", "\u001b[31m", "\u{e0041}", "\u007f", "\r", "\b", "\ud800"])(
    "a description that holds %j is cleaned as in a parsed schema",
    (hidden) => {
      const { tool } = unparsedTool({ type: "object", description: `before${hidden}after` });
      const whole = offeredTool({ inputSchema: { type: "object", description: `before${hidden}after` } });
      expect(cleanTools()(tool)).toEqual(cleanTools()(whole));
    },
  );

  test("[T55] a tool with a hidden character in an argument name is not offered beside clean ones", () => {
    const check = cleanTools();
    const plain = unparsedTool({ type: "object", properties: { path: {} } });
    const hiding = unparsedTool({ type: "object", properties: { "pa\u200bth": {} } });
    expect(check(plain.tool)).toBe(plain.tool);
    expect(check(hiding.tool)).toEqual({
      blocked: expect.stringMatching(/^the name of an argument holds/),
    });
    expect(check(plain.tool)).toBe(plain.tool);
  });
});

describe("a definition", () => {
  test.each([["plain"], ["hid\u200bden"]])(
    "that is frozen is looked at once, in advance or when it is judged: %j",
    (description) => {
      let reads = 0;
      const tool = offeredTool();
      Object.defineProperty(tool.definition, "title", {
        enumerable: true,
        get: () => {
          reads += 1;
          return description;
        },
      });
      Object.freeze(tool.definition);
      const policy = cleanTools();
      policy.prepare?.(tool.definition);
      const before = reads;
      expect(before).toBeGreaterThan(0);
      const offered = policy(tool);
      expect(policy({ ...tool, origin: "cache" })).toMatchObject({
        definition: { title: description.replace("\u200b", "") },
      });
      expect(reads - before).toBeLessThanOrEqual(2); // Only by this test, where nothing was cleaned.
      expect("definition" in offered && offered.definition).toBe((policy(tool) as typeof tool).definition);
    },
  );

  test("that is not frozen is looked at each time", () => {
    const tool = offeredTool({ description: "first" });
    const policy = cleanTools();
    policy.prepare?.(tool.definition);
    Object.assign(tool.definition, { title: "hid\u200bden" });
    expect(policy(tool)).toMatchObject({ definition: { title: "hidden" } });
  });
});
