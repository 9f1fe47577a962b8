import { isMcpError, type McpError } from "@jackfield/mcp-core";
import { casesOf } from "@jackfield/test-kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ConfigFormat, parseConfigDocument } from "../../src/read/document.ts";
import type { JsonPath } from "../../src/read/json-value.ts";

const FILE = "/project/.mcp.json";

function parse(text: string, format: ConfigFormat = "strict-json") {
  return parseConfigDocument(text, FILE, format);
}

async function faultOf(text: string): Promise<McpError> {
  try {
    await parse(text);
  } catch (error) {
    if (isMcpError(error)) return error;
    throw error;
  }
  throw new Error("the text was accepted");
}

function isAcceptedByJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("a JSON syntax error", () => {
  test.each([
    ["a trailing comma in an object", '{\n  "a": 1,\n}', 3, 1, "no comma after the last member"],
    ["a trailing comma in an array", "[\n  1,\n]", 3, 1, "no comma after the last element"],
    ["a missing colon", '{"a" 1}', 1, 6, "colon"],
    ["a missing comma", '{"a": 1\n "b": 2}', 2, 2, "comma"],
    ["a comment", '{\n  // why\n  "a": 1\n}', 2, 3, "no comments"],
    ["an unquoted key", "{a: 1}", 1, 2, "key in double quotes"],
    ["a truncated object", '{\n  "a": {', 2, 9, "closing brace"],
    ["a truncated array", "[1, [2]", 1, 8, "closing bracket"],
    ["a string across two lines", '{\r\n"a": "b\r\n"}', 2, 6, "not closed"],
    ["a lone backslash", '{"a": "C:\\Users"}', 1, 7, "backslash"],
    ["text after the end", '{}\n{"b": 1}', 2, 1, "more text after the end of the document"],
    ["a tab inside a string", '{"a": "x\ty"}', 1, 7, "control character"],
  ])("is reported with line and column: %s", async (_what, text, line, column, hint) => {
    const error = await faultOf(text);
    expect(error.code).toBe("MCP_CONFIG_INVALID");
    expect(error.location).toEqual({ file: FILE, line, column });
    expect(error.message).toContain(`${FILE}:${line}:${column}: `);
    expect(error.message).toContain(hint);
  });

  test("is reported without quoting the file", async () => {
    expect((await faultOf('{"token": "planted-secret-1" "b": planted-secret-2}')).message).not.toContain(
      "planted",
    );
  });
});

describe("strict JSON", () => {
  const texts = [
    [
      "null",
      "true",
      "-0",
      "1e3",
      '"x"',
      "[]",
      "{}",
      "[1,[2]]",
      '{"a":{"b":[]}}',
      '"\\u00e9\\n\\/"',
      " {} \r\n\t",
    ],
    ["nul", "True", "-", "01", "1.", ".5", "+1", "0x1", "1e", "NaN", "Infinity", "'x'", '"\\x41"', '"\\u12"'],
    [
      "{,}",
      "[,]",
      "[1,,2]",
      '{"a"}',
      '{"a":}',
      "{}}",
      "[]]",
      "][",
      "/**/{}",
      "{}//",
      "{}#",
      "\u00a0{}",
      "{'a':1}",
    ],
  ].flat();

  test.each(texts)("%j is accepted exactly when JSON.parse accepts it", async (text) => {
    if (isAcceptedByJson(text)) {
      expect((await parse(text)).root).toEqual(JSON.parse(text));
    } else {
      expect((await faultOf(text)).code).toBe("MCP_CONFIG_INVALID");
    }
  });

  test("generated texts are accepted exactly when JSON.parse accepts them, with the same values", async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ..."{}[],:\"\\/ \n\t-+.eE0129tfnu'a\u00a0\u2028\ufeff",
        "true",
        "null",
        '"a"',
        "1.5e-3",
        "\\u00e9",
        "//",
      ),
      fc.json({ maxDepth: 3 }),
      fc.string().map((text) => JSON.stringify(text)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
        const text = pieces.join("");
        const isEmpty = /^[ \t\r\n]*$/.test(text);
        if (!isAcceptedByJson(text)) return isEmpty || (await faultOf(text)).code === "MCP_CONFIG_INVALID";
        const { root, duplicates } = await parse(text);
        if (duplicates.length === 0) expect(JSON.stringify(root)).toBe(JSON.stringify(JSON.parse(text)));
        return true;
      }),
      casesOf(300, 5_000),
    );
  });

  test("a text has the same values and places with and without a comment", async () => {
    const key = fc.oneof(
      fc.constantFrom("a", "b", "1", "", '"', "\\", ":", "é"),
      fc.string({ maxLength: 3 }),
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom(1.5, true, null, '"', "a:b", "\\"),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((members) => new Map(members)),
      ),
    }));
    /** Members in their order, also those whose keys an object would put in another; a key may come twice. */
    const write = (part: unknown, space: string): string => {
      if (Array.isArray(part)) return `[${part.map((element) => space + write(element, space)).join(",")}]`;
      if (!(part instanceof Map)) return JSON.stringify(part);
      const members = [...part].map(
        ([name, member]) => `${JSON.stringify(name)}${space}: ${write(member, space)}`,
      );
      return `{${members.join(`,${space}`)}}`;
    };
    await fc.assert(
      fc.asyncProperty(value, fc.constantFrom("", " ", "\n\t"), async (whole, space) => {
        const text = write(whole, space);
        const [plain, scanned] = await Promise.all([parse(text), parse(`${text} // comment`, "jsonc")]);
        expect(plain.root).toEqual(scanned.root);
        const [one, other] = await Promise.all([plain.places(), scanned.places()]);
        const paths = (part: unknown, path: JsonPath = []): JsonPath[] =>
          typeof part === "object" && part !== null
            ? [path, ...Object.entries(part).flatMap(([step, inner]) => paths(inner, [...path, step]))]
            : [path];
        for (const path of paths(plain.root)) expect(one(path)).toEqual(other(path));
      }),
      casesOf(200, 2_000),
    );
  });

  test("every truncation of a valid file is refused", async () => {
    const whole = JSON.stringify({ mcpServers: { a: { command: "x", args: ["\\", "{"], env: { B: "1" } } } });
    for (let length = 1; length < whole.length; length += 1) {
      expect((await faultOf(whole.slice(0, length))).code).toBe("MCP_CONFIG_INVALID");
    }
  });

  test("an empty text has no root and is no error", async () => {
    expect((await parse(" \r\n\t")).root).toBeUndefined();
  });

  test("100,000 nested arrays are refused with a place instead of exhausting the stack", async () => {
    const error = await faultOf(`{"a":\n${"[".repeat(100_000)}`);
    expect(error.message).toContain("nested more than 64 levels deep");
    expect(error.location).toEqual({ file: FILE, line: 2, column: 64 });
  });

  test("64 levels of nesting are accepted", async () => {
    const text = `${"[".repeat(64)}${"]".repeat(64)}`;
    expect(JSON.stringify((await parse(text)).root)).toBe(text);
  });
});

describe("places in a JSON document", () => {
  const text =
    '{\n  "mcpServers": {\n    "a/b~c": {\n      "command": "x", "args": [\n        "1",\r\n        "2"]\n    }\n  }\n}';

  test.each([
    [[], 1, 1, ""],
    [["mcpServers"], 2, 3, "/mcpServers"],
    [["mcpServers", "a/b~c"], 3, 5, "/mcpServers/a~1b~0c"],
    [["mcpServers", "a/b~c", "args"], 4, 23, "/mcpServers/a~1b~0c/args"],
    [["mcpServers", "a/b~c", "args", 1], 6, 9, "/mcpServers/a~1b~0c/args/1"],
    [["mcpServers", "a/b~c", "missing"], 3, 5, "/mcpServers/a~1b~0c/missing"],
  ])("the path %j has its line, column and pointer", async (path, line, column, pointer) => {
    const locate = await (await parse(text)).places();
    expect(locate(path)).toEqual({ file: FILE, line, column, pointer });
  });
});

describe("keys in a JSON document", () => {
  test.each(["strict-json", "json", "jsonc"] as const)(
    "[A4] __proto__ is left out of %s and pollutes nothing",
    async (format) => {
      const { root, forbidden } = await parse(
        '{"a": [{"__proto__": {"polluted": true}, "b": 1}], "\\u005f_proto__": 1, "constructor": 1}',
        format,
      );
      expect(Object.getPrototypeOf(root)).toBeNull();
      expect(root).toEqual({ a: [{ b: 1 }], constructor: 1 });
      expect(forbidden).toEqual([["a", 0, "__proto__"], ["__proto__"]]);
      expect(Object.hasOwn({}, "polluted") || "polluted" in {}).toBe(false);
    },
  );

  test("a repeated key is reported with both places, and its last value counts", async () => {
    const document = await parse('{\n"a": [{"b": 1,\n "b": {"c": 2}}],\n"a": 3}');
    expect(document.root).toEqual({ a: 3 });
    const repeated = document.duplicates.map(({ path, first, again }) => ({ path, first, again }));
    expect(repeated).toEqual([
      {
        path: ["a", 0, "b"],
        first: { line: 2, column: 8 },
        again: { line: 3, column: 2 },
      },
      {
        path: ["a"],
        first: { line: 2, column: 1 },
        again: { line: 4, column: 1 },
      },
    ]);
  });

  test.each([
    ['{"a": 1, "\\u0061": 2}', 1],
    ['{"a": "\\"", "b": ":", "c": "\\\\", "a": 1}', 1],
    ['{"a": "\\":\\\\", "b": [{"a": 1}, "x:y"], ":": ":"}', 0],
  ])("repeated keys are found among escapes and colons: %s", async (text, count) => {
    expect((await parse(text)).duplicates).toHaveLength(count);
  });

  test("keys that differ in case only are different keys", async () => {
    expect((await parse('{"a": 1, "A": 2}')).duplicates).toEqual([]);
  });
});
