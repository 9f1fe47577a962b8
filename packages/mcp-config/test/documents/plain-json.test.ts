import { isRecord } from "@jackfield/mcp-core";
import { casesOf } from "@jackfield/test-kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJsonDocument } from "../../src/documents/json-document.ts";
import type { JsonPath } from "../../src/documents/json-path.ts";
import { readPlainJson } from "../../src/documents/plain-json.ts";

/** The path of every value, and beside each a path that does not exist. */
function* pathsIn(value: unknown, path: JsonPath = []): Iterable<JsonPath> {
  yield path;
  yield [...path, "absent"];
  if (Array.isArray(value))
    for (const [index, element] of value.entries()) yield* pathsIn(element, [...path, index]);
  else if (isRecord(value)) for (const key of Object.keys(value)) yield* pathsIn(value[key], [...path, key]);
}

/** The same document, read by the parser because a comment stands behind it. */
function parsed(text: string) {
  const document = parseJsonDocument(`${text}//`, "file.json", "jsonc");
  expect(readPlainJson(`${text}//`)).toBeUndefined();
  return document;
}

const key = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.constantFrom("a", "b", '"', "\\", '\\"', "ü", "\u2028", "", "1", "02", "toString", "__proto__", "a\nb"),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    key,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    tie("list"),
    tie("map"),
  ),
  list: fc.array(tie("value"), { maxLength: 4 }),
  map: fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((members) => new Map(members)),
})).map;

/** Writes members in their order, also those whose keys an object would put in another. */
function write(value: unknown, space: string): string {
  if (Array.isArray(value)) return `[${value.map((element) => space + write(element, space)).join(",")}]`;
  if (!(value instanceof Map)) return JSON.stringify(value);
  const members = [...value].map(
    ([name, member]) => `${space}${JSON.stringify(name)}${space}:${write(member, space)}`,
  );
  return `{${members.join(",")}${space}}`;
}

describe("the fast path for plain JSON", () => {
  test("gives the same values and places as the full parser", () => {
    fc.assert(
      fc.property(json, fc.constantFrom("", " ", "\n\t", "\r\n"), (value, space) => {
        const text = space + write(value, space);
        const exact = parsed(text);
        const document = parseJsonDocument(text, "file.json", "jsonc");
        expect(document.root).toEqual(exact.root);
        for (const path of pathsIn(exact.root)) expect(document.locate(path)).toEqual(exact.locate(path));
      }),
      casesOf(300, 5_000),
    );
  });

  test("gives maps without prototypes at every depth", () => {
    const { root } = readPlainJson('{"a":[{"toString":{}}]}') ?? {};
    const [inner] = (root as { a: { toString: object }[] }).a;
    for (const map of [root, inner, inner?.toString]) expect(Object.getPrototypeOf(map)).toBeNull();
  });

  test.each([
    ["a duplicate key with the same value", '{"a":1,"a":1}'],
    ["a duplicate key in a nested object", '{"x":{"a":"1","a":"1"},"b":"2"}'],
    ["a duplicate key with an escape", '{"a":1,"\\u0061":2}'],
    ["keys that the engine reorders", '{"b":"1","1":"b"}'],
    ["a __proto__ key", '{"a":{"__proto__":{}}}'],
    ["more than 64 levels", `${"[".repeat(65)}${"]".repeat(65)}`],
    ["a decimal number with a trailing zero", '{"a":1.10}'],
    ["a decimal number that prints as an integer", '{"a":1.0}'],
    ["a redundant exponent", '{"a":1e0}'],
    ["an integer as which others print too", '{"a":10000000000000000}'],
    ["a comment", '{"a":1} // why'],
    ["a trailing comma", '{"a":1,}'],
    ["nothing but white space", " \n"],
  ])("declines a text with %s", (_what, text) => {
    expect(readPlainJson(text)).toBeUndefined();
  });

  test("accepts 64 levels of nesting", () => {
    const text = `${"[".repeat(64)}${"]".repeat(64)}`;
    expect(readPlainJson(text)).toBeDefined();
  });
});
