import { describe, expect, test } from "vitest";
import { parseYamlDocument } from "../../src/documents/yaml-document.ts";

const FILE = "/c/config.yaml";
const rootOf = (text: string) => parseYamlDocument(text, FILE).root;

describe("YAML", () => {
  test("knows where keys and elements stand", () => {
    const { locate } = parseYamlDocument("# c\na:\n  - b: 1\n    c d: {e: [x, y]}\n", FILE);
    expect(locate(["a", 0, "c d", "e", 1])).toEqual({
      file: FILE,
      line: 4,
      column: 18,
      pointer: "/a/0/c d/e/1",
    });
    expect(locate(["a", 0, "c d"])).toMatchObject({ line: 4, column: 5 });
    expect(locate(["a", 0, "nothing"])).toMatchObject({ line: 3, column: 5 });
  });

  test("follows aliases and merges, and what a map says itself wins", () => {
    const text = "base: &b {x: 1, y: 2}\nown: {y: 3, <<: *b}\nlist: [*b]\n";
    expect(rootOf(text)).toEqual({ base: { x: 1, y: 2 }, own: { x: 1, y: 3 }, list: [{ x: 1, y: 2 }] });
  });

  test("takes null for something that a map says itself", () => {
    expect(rootOf("own: {y: null, <<: {x: 1, y: 2}}\n")).toEqual({ own: { x: 1, y: null } });
  });

  test.each(["", "%YAML 1.1\n---\n", "%YAML 1.2\n---\n"])("merges whatever version it says: %j", (header) => {
    const text = `${header}a: &a {p: 1}\nb: &b {q: 2, p: 3}\nown:\n  <<: [*a, *b]\n  r: 4\n`;
    expect(rootOf(text)).toEqual({ a: { p: 1 }, b: { q: 2, p: 3 }, own: { p: 1, q: 2, r: 4 } });
  });

  test("has yes as a text, as version 1.2 does, and no objects of tags", () => {
    expect(rootOf("a: yes\nb: !!js/function 'x'\nc: ~\n")).toEqual({ a: "yes", b: "x", c: null });
  });

  test.each([
    ["a: 1\na: 2", 2],
    ["a: [1", 1],
    ["a: *nowhere", 1],
    ["a: &x [*x]", 1],
    ["---\na: 1\n---\nb: 2\n", 3],
  ])("%j is refused with its line", (text, line) => {
    expect(() => rootOf(text)).toThrow(
      expect.objectContaining({ code: "MCP_CONFIG_INVALID", location: expect.objectContaining({ line }) }),
    );
  });

  test("an empty text has no root, and null is null", () => {
    expect([rootOf(""), rootOf("# c\n"), rootOf("null")]).toEqual([undefined, undefined, null]);
  });

  test("maps have no prototype, and __proto__ is left out", () => {
    const { root, forbidden } = parseYamlDocument("constructor: 1\n__proto__: {a: 1}\n", FILE);
    expect(Object.getPrototypeOf(root)).toBeNull();
    expect(Object.keys(root as object)).toEqual(["constructor"]);
    expect(forbidden).toMatchObject([{ line: 2 }]);
  });
});
