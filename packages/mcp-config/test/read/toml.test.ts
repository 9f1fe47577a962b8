import { casesOf } from "@jackfield/test-kit";
import fc from "fast-check";
import { stringify } from "smol-toml";
import { describe, expect, test } from "vitest";
import { parseConfigDocument } from "../../src/read/document.ts";
import type { JsonPath } from "../../src/read/json-value.ts";

const FILE = "/c/config.toml";
const parse = (text: string) => parseConfigDocument(text, FILE, "toml");

function pathsIn(value: unknown, path: JsonPath = []): JsonPath[] {
  if (typeof value !== "object" || value === null) return [path];
  const members: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return [path, ...members.flatMap(([step, member]) => pathsIn(member, [...path, step]))];
}

describe("places in a TOML document", () => {
  const text = [
    "top = 1 # [not.a.table]",
    "[a.\"b c\".'d']",
    'x.y = { p = [1, { q = "]}" }], "r" = 2 }',
    'long = """',
    "[z]",
    'k = "\\"""',
    '"""',
    "list = [",
    "  'one', # ]",
    "  2026-01-01T00:00:00Z,",
    "]",
    "[[e]]",
    "f = '''",
    "'''''",
    "[[e]]",
    "f = 1",
    "[e.g]",
    "h = true",
    "[[e.i]]",
    "j = 1",
  ].join("\r\n");
  test.each<[JsonPath, number, number]>([
    [["top"], 1, 1],
    [["a", "b c", "d"], 2, 1],
    [["a", "b c", "d", "x"], 3, 1],
    [["a", "b c", "d", "x", "y", "p", 1, "q"], 3, 1],
    [["a", "b c", "d", "long"], 4, 1],
    [["a", "b c", "d", "list", 1], 8, 1],
    [["e"], 12, 1],
    [["e", 0, "f"], 13, 1],
    [["e", 1, "f"], 16, 1],
    [["e", 1, "g", "h"], 18, 1],
    [["e", 1, "i", 0, "j"], 20, 1],
    [["a", "b c", "nothing"], 2, 1],
    [["nothing"], 1, 1],
  ])("the path %j has the line of its key or its table", async (path, line, column) => {
    const locate = await (await parse(text)).places();
    expect(locate(path)).toMatchObject({ file: FILE, line, column });
  });

  test("every value of a generated document has a place within the text", async () => {
    const key = fc.string({ maxLength: 5 }).filter((name) => name !== "__proto__" && !name.includes("\0"));
    const leaf = fc.oneof(
      fc.integer(),
      fc.boolean(),
      fc.string(),
      fc.constant('"""'),
      fc.constant("'''\n[x]"),
    );
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.dictionary(
        key,
        fc.oneof({ depthSize: "small" }, leaf, fc.array(leaf, { maxLength: 3 }), tie("tree")),
        {
          maxKeys: 4,
        },
      ),
    }));
    await fc.assert(
      fc.asyncProperty(tree, async (value) => {
        const generated = stringify(value as object);
        const document = await parse(generated);
        const locate = await document.places();
        const lines = generated.split("\n");
        for (const path of pathsIn(document.root).slice(1)) {
          const { line = 0, column = 0 } = locate(path);
          expect(column, `${JSON.stringify(path)} in ${JSON.stringify(generated)}`).toBeLessThanOrEqual(
            (lines[line - 1]?.length ?? -1) + 1,
          );
        }
      }),
      casesOf(200, 2_000),
    );
  });
});

describe("a TOML document", () => {
  test("may be nested 64 levels deep in dotted keys, and no deeper", async () => {
    const names = (count: number) => Array.from({ length: count }, () => "a").join(".");
    for (const text of [`${names(64)} = 1`, `[${names(63)}]\na = 1`, `[[${names(62)}]]\na = 1`]) {
      expect((await parse(text)).root).toHaveProperty("a.a.a");
    }
    for (const text of [`${names(65)} = 1`, `[${names(64)}]\na = 1`, `[[${names(63)}]]\na = 1`]) {
      await expect(parse(text)).rejects.toThrow("values are nested more than 64 levels deep");
    }
  });

  test.each([
    ["a = 1\na = 2", 2],
    ["[x]\n[x]", 2],
    ['a = "planted-secret', 1],
    ["a = planted-secret", 1],
  ])("is refused at its line without being quoted: %j", async (text, line) => {
    await expect(parse(text)).rejects.toThrow(
      expect.objectContaining({ code: "MCP_CONFIG_INVALID", location: expect.objectContaining({ line }) }),
    );
    await expect(parse(text)).rejects.not.toThrow("planted");
  });

  test("has no root if it is only comments", async () => {
    expect((await parse("# nothing\n")).root).toBeUndefined();
  });

  test("with an integer that a number cannot hold is read all the same", async () => {
    const { root } = await parse("large = 9007199254740993\na = 1\n");
    expect(root).toEqual({ large: 2 ** 53, a: 1 });
  });

  test("is read into maps without prototypes, and dates into strings", async () => {
    const { root, forbidden } = await parse("d = 2026-01-02\n[constructor]\na = 1\n__proto__ = 2\n");
    expect(Object.getPrototypeOf(root)).toBeNull();
    expect(root).toEqual({ d: "2026-01-02", constructor: { a: 1 } });
    expect(forbidden).toEqual([["constructor", "__proto__"]]);
  });
});
