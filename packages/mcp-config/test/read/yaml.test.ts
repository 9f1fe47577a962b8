import { describe, expect, test } from "vitest";
import { parseConfigDocument } from "../../src/read/document.ts";

const FILE = "/c/config.yaml";
const parse = (text: string) => parseConfigDocument(text, FILE, "yaml");
const rootOf = async (text: string) => (await parse(text)).root;

describe("YAML", () => {
  test("locates keys and elements", async () => {
    const locate = await (await parse("# c\na:\n  - b: 1\n    c d: {e: [x, y]}\n")).places();
    expect(locate(["a", 0, "c d", "e", 1])).toEqual({
      file: FILE,
      line: 4,
      column: 18,
      pointer: "/a/0/c d/e/1",
    });
    expect(locate(["a", 0, "c d"])).toMatchObject({ line: 4, column: 5 });
    expect(locate(["a", 0, "nothing"])).toMatchObject({ line: 3, column: 5 });
  });

  test("resolves aliases and merges, and a map's own keys win", async () => {
    const text = "base: &b {x: 1, y: 2}\nown: {y: 3, <<: *b}\nlist: [*b]\n";
    expect(await rootOf(text)).toEqual({ base: { x: 1, y: 2 }, own: { x: 1, y: 3 }, list: [{ x: 1, y: 2 }] });
  });

  test("lets a map's own null win over a merged value", async () => {
    expect(await rootOf("own: {y: null, <<: {x: 1, y: 2}}\n")).toEqual({ own: { x: 1, y: null } });
  });

  test.each(["", "%YAML 1.1\n---\n", "%YAML 1.2\n---\n"])(
    "resolves merges under any version directive: %j",
    async (header) => {
      const text = `${header}a: &a {p: 1}\nb: &b {q: 2, p: 3}\nown:\n  <<: [*a, *b]\n  r: 4\n`;
      expect(await rootOf(text)).toEqual({ a: { p: 1 }, b: { q: 2, p: 3 }, own: { p: 1, q: 2, r: 4 } });
    },
  );

  test("reads yes as a string and makes no objects from tags", async () => {
    expect(await rootOf("a: yes\nb: !!js/function 'x'\nc: ~\n")).toEqual({ a: "yes", b: "x", c: null });
  });

  test("names the place of a repeated key, and not its name", async () => {
    await expect(rootOf("m:\n  planted: 1\n  planted: 2\n")).rejects.toThrow(
      expect.objectContaining({
        message: `${FILE}:3:3: this is not valid YAML: duplicate key.`,
        location: { file: FILE, line: 3, column: 3 },
      }),
    );
  });

  test("allows several keys that are lists, and several merge keys in version 1.1", async () => {
    expect(await rootOf("? [a]\n: 1\n? [b]\n: 2\n")).toEqual({ "": 2 });
    expect(await rootOf("%YAML 1.1\n---\n<<: {a: 1}\n<<: {b: 2}\n")).toEqual({ a: 1, b: 2 });
  });

  test.each(["", "%YAML 1.1\n---\n"])(
    "reads an ordered map as a list, under any version directive: %j",
    async (header) => {
      expect(await rootOf(`${header}!!omap [a: 1, a: 2]\n`)).toEqual([{ a: 1 }, { a: 2 }]);
    },
  );

  test("reads a value with a binary or date tag as a string", async () => {
    expect(await rootOf("a: !!binary QUJD\nb: !!timestamp 2020-01-02\n")).toEqual({
      a: "QUJD",
      b: "2020-01-02",
    });
  });

  test.each([
    ["a: 1\na: 2", 2],
    ["m:\n  a: 1\n  b: 1\n  a: 2", 4],
    ["m: { a: 1,\n a: 2 }", 2],
    ["1: a\n'1': b", 2],
    ["a: &a b\nb: 1\n*a : 2", 3],
    ["__proto__: 1\n__proto__: 2", 2],
    ["<<: {a: 1}\n<<: {b: 1}", 2],
    ["a: [1", 1],
    ["a: *nowhere", 1],
    ["a: &x [*x]", 1],
    ["---\na: 1\n---\nb: 2\n", 3],
  ])("refuses %j with its line", async (text, line) => {
    await expect(rootOf(text)).rejects.toThrow(
      expect.objectContaining({ code: "MCP_CONFIG_INVALID", location: expect.objectContaining({ line }) }),
    );
  });

  test("gives an empty text no root, and null a null root", async () => {
    expect([await rootOf(""), await rootOf("# c\n"), await rootOf("null")]).toEqual([
      undefined,
      undefined,
      null,
    ]);
  });

  test("makes maps without prototypes and drops __proto__", async () => {
    const { root, forbidden } = await parse("constructor: 1\n__proto__: {a: 1}\n");
    expect(Object.getPrototypeOf(root)).toBeNull();
    expect(Object.keys(root as object)).toEqual(["constructor"]);
    expect(forbidden).toEqual([["__proto__"]]);
  });
});
