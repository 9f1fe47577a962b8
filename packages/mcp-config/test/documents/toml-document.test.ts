import { casesOf } from "@jackfield/test-kit";
import fc from "fast-check";
import { stringify } from "smol-toml";
import { describe, expect, test } from "vitest";
import type { JsonPath } from "../../src/documents/json-path.ts";
import { spellingOf } from "../../src/documents/number-spellings.ts";
import { PlacedValue } from "../../src/documents/placed-value.ts";
import { parseTomlDocument } from "../../src/documents/toml-document.ts";
import { findTomlPlaces } from "../../src/documents/toml-places.ts";

const FILE = "/c/config.toml";

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
  const document = parseTomlDocument(text, FILE);

  test.each<[JsonPath, number, number]>([
    [["top"], 1, 1],
    [["a", "b c", "d"], 2, 1],
    [["a", "b c", "d", "x"], 3, 1],
    [["a", "b c", "d", "x", "y"], 3, 3],
    [["a", "b c", "d", "x", "y", "p", 1, "q"], 3, 19],
    [["a", "b c", "d", "x", "y", "r"], 3, 32],
    [["a", "b c", "d", "long"], 4, 1],
    [["a", "b c", "d", "list", 0], 9, 3],
    [["a", "b c", "d", "list", 1], 10, 3],
    [["e"], 12, 1],
    [["e", 0, "f"], 13, 1],
    [["e", 1, "f"], 16, 1],
    [["e", 1, "g", "h"], 18, 1],
    [["e", 1, "i", 0, "j"], 20, 1],
    [["a", "b c", "nothing"], 2, 1],
    [["nothing"], 1, 1],
  ])("the path %j has its line and column", (path, line, column) => {
    expect(document.locate(path)).toMatchObject({ file: FILE, line, column });
  });

  test.each([
    [String.raw`"\U0001F600"`, "😀"],
    [String.raw`"\u00e9\x41\e"`, "éA\x1b"],
    [String.raw`"\\x41\"\b\t\n\f\r"`, '\\x41"\b\t\n\f\r'],
    ['"a\tb"', "a\tb"],
  ])("a name with escapes has its place: %s", (written, name) => {
    const escaped = parseTomlDocument(`[servers]\n${written}.a = 1\n`, FILE);
    expect(escaped.root).toHaveProperty(["servers", name]);
    expect(escaped.locate(["servers", name])).toMatchObject({ line: 2, column: 1 });
  });

  test("every value of a generated document has a place within the text", () => {
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
    fc.assert(
      fc.property(tree, (value) => {
        const generated = stringify(value as object);
        const places = new PlacedValue();
        findTomlPlaces(generated, places, (value) => expect.fail(`${value.path()} is too deep`));
        for (const path of pathsIn(parseTomlDocument(generated, FILE).root).slice(1)) {
          const { offset } = path.reduce<PlacedValue>((value, step) => value.enter(step), places);
          expect(offset, `${JSON.stringify(path)} in ${JSON.stringify(generated)}`).toBeDefined();
          expect(offset).toBeLessThanOrEqual(generated.length);
        }
      }),
      casesOf(200, 2_000),
    );
  });
});

describe("a TOML document", () => {
  test("may be nested 64 levels deep in dotted keys, and no deeper", () => {
    const names = (count: number) => Array.from({ length: count }, () => "a").join(".");
    for (const text of [`${names(64)} = 1`, `[${names(63)}]\na = 1`, `[[${names(62)}]]\na = 1`]) {
      expect(parseTomlDocument(text, FILE).root).toHaveProperty("a.a.a");
    }
    for (const text of [`${names(65)} = 1`, `[${names(64)}]\na = 1`, `[[${names(63)}]]\na = 1`]) {
      expect(() => parseTomlDocument(text, FILE)).toThrow("values are nested more than 64 levels deep");
    }
  });

  test("with a byte order mark has its places behind it", () => {
    expect(parseTomlDocument("\ufeffa = 1", FILE).locate(["a"])).toMatchObject({ line: 1, column: 2 });
  });

  test.each([
    ["a = 1\na = 2", 2],
    ["[x]\n[x]", 2],
    ['a = "planted-secret', 1],
    ["a = planted-secret", 1],
  ])("is refused at its line without being quoted: %j", (text, line) => {
    expect(() => parseTomlDocument(text, FILE)).toThrow(
      expect.objectContaining({ code: "MCP_CONFIG_INVALID", location: expect.objectContaining({ line }) }),
    );
    expect(() => parseTomlDocument(text, FILE)).not.toThrow("planted");
  });

  test("has no root if it is only comments", () => {
    expect(parseTomlDocument("# nothing\n", FILE).root).toBeUndefined();
  });

  test("keeps the digits of an integer that a number cannot hold", () => {
    const { root } = parseTomlDocument("large = 9007199254740993\nsmall = -9007199254740993\na = 1\n", FILE);
    expect(root).toEqual({ large: 2 ** 53, small: -(2 ** 53), a: 1 });
    const digits = Object.keys(root as object).map((key) => spellingOf(root as object, key));
    expect(digits).toEqual(["9007199254740993", "-9007199254740993", undefined]);
  });

  test("is read into maps without prototypes, and dates into strings", () => {
    const { root } = parseTomlDocument("d = 2026-01-02\n[constructor]\na = 1\n", FILE);
    expect(Object.getPrototypeOf(root)).toBeNull();
    expect(root).toEqual({ d: "2026-01-02", constructor: { a: 1 } });
  });
});
