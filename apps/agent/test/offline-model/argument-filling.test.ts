import { describe, expect, it } from "vitest";
import { fillArguments } from "../../src/offline-model/argument-filling.ts";
import { chatTool } from "../fixtures/demo-tools.ts";

describe("the offline model's arguments for the demo servers' tools", () => {
  it.each([
    ["everything__echo", 'echo "hi there"', { message: "hi there" }],
    ["everything__echo", "echo message: hi.", { message: "hi" }],
    ["everything__get-sum", "the sum of 19 and -2.5", { a: 19, b: -2.5 }],
    ["everything__get-sum", "the sum with b: 1 and a: 2", { a: 2, b: 1 }],
    ["everything__get-structured-content", "the weather in chicago", { location: "Chicago" }],
    ["everything__get-structured-content", "the weather", { location: "New York" }],
    ["everything__get-tiny-image", 'the image "x"', {}],
    ["everything__trigger-long-running-operation", "duration: 60, please", { duration: 60 }],
    ["filesystem__write_file", 'path "a.txt" content "b"', { path: "a.txt", content: "b" }],
    ["filesystem__write_file", 'content "b" path "a.txt"', { path: "a.txt", content: "b" }],
    ["filesystem__write_file", 'write "b" to path "a.txt"', { path: "a.txt", content: "b" }],
    ["filesystem__write_file", "write to “a.txt” the words 'it’s me'", { path: "a.txt", content: "it’s me" }],
    ["filesystem__read_text_file", 'read "a.txt", head: 2', { path: "a.txt", head: 2 }],
    ["filesystem__read_multiple_files", 'read the files "a.txt"', { paths: ["a.txt"] }],
    [
      "filesystem__edit_file",
      'in "a.txt" replace old text "b" by new text "c", dryRun: yes',
      { path: "a.txt", edits: [{ oldText: "b", newText: "c" }], dryRun: true },
    ],
    [
      "memory__create_entities",
      'name "Anna", entityType "person", observations "likes tea"',
      { entities: [{ name: "Anna", entityType: "person", observations: ["likes tea"] }] },
    ],
    [
      "memory__create_relations",
      'relate from "Anna" to "Bert", relation type is "knows"',
      { relations: [{ from: "Anna", to: "Bert", relationType: "knows" }] },
    ],
    ["memory__delete_entities", 'forget "Anna"', { entityNames: ["Anna"] }],
    ["memory__search_nodes", 'query = "tea"', { query: "tea" }],
  ])("%s from: %s", (tool, prompt, args) => {
    expect(fillArguments(chatTool(tool).parameters, prompt)).toEqual({ args, missing: [] });
  });

  it("are reported missing if the prompt has no value for them", () => {
    const { missing } = fillArguments(chatTool("filesystem__write_file").parameters, 'write "a.txt"');
    expect(missing).toEqual(["content"]);
    const nested = fillArguments(chatTool("memory__create_entities").parameters, 'name "Anna"');
    expect(nested.missing).toEqual(["entityType", "observations"]);
  });
});

describe("the offline model's arguments for other schemas", () => {
  const fill = (property: object, prompt: string, more: object = {}) =>
    fillArguments({ type: "object", required: ["x"], properties: { x: property }, ...more }, prompt).args;

  it.each([
    [{ type: ["null", "string"] }, 'say "a"', "a"],
    [{ anyOf: [{ type: "null" }, { type: "integer" }] }, "take 2.5 or 3", 3],
    [{ $ref: "#/$defs/word" }, 'say "a"', "a"],
    [{ anyOf: [{ $ref: "#/$defs/word" }, { type: "null" }] }, 'say "a"', "a"],
    [{ const: "fixed" }, 'say "a"', "fixed"],
    [{ type: "string", default: "usual" }, "nothing in quotes", "usual"],
    [{ type: "string", enum: ["red", "blue"] }, 'paint it "Blue"', "blue"],
    [{ type: "boolean" }, "no, thanks", false],
    [{ type: "boolean" }, "x is true", true],
    [{ type: "null" }, "", null],
    [{}, "take 7", 7],
    [{ items: { type: "number" } }, "take 7", [7]],
    [{ properties: { y: { type: "string" } }, required: ["y"] }, 'say "a"', { y: "a" }],
  ])("%j from: %s", (property, prompt, value) => {
    expect(fill(property, prompt, { $defs: { word: { type: "string" } } })).toEqual({ x: value });
  });

  it("are finite for a recursive schema", () => {
    const node = { type: "object", required: ["next"], properties: { next: { $ref: "#/$defs/node" } } };
    expect(fillArguments({ ...node, $defs: { node } }, "go").missing).toContain("next");
  });

  it("are finite for a reference to itself", () => {
    const schema = { type: "object", required: ["x"], properties: { x: { $ref: "#/$defs/loop" } } };
    const $defs = { loop: { $ref: "#/$defs/loop" } };
    expect(fillArguments({ ...schema, $defs }, "go").missing).toEqual(["x"]);
  });

  it("treat __proto__ as an ordinary property", () => {
    const schema = JSON.parse(
      '{"type":"object","required":["__proto__"],"properties":{"__proto__":{"type":"string"}}}',
    );
    const { args } = fillArguments(schema, 'say "a"');
    expect(Object.entries(args)).toEqual([["__proto__", "a"]]);
  });
});
