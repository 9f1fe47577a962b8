import { isMcpError, type McpError } from "@jackfield/mcp-core";
import { casesOf } from "@jackfield/test-kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonFormat, parseJsonDocument } from "../../src/documents/json-document.ts";

const FILE = "/project/.mcp.json";

function parseConfigDocument(text: string, file: string, format: JsonFormat = "strict-json") {
  return parseJsonDocument(text, file, format);
}

function faultOf(text: string): McpError {
  try {
    parseConfigDocument(text, FILE);
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
  ])("is reported with line and column: %s", (_what, text, line, column, hint) => {
    const error = faultOf(text);
    expect(error.code).toBe("MCP_CONFIG_INVALID");
    expect(error.location).toEqual({ file: FILE, line, column });
    expect(error.message).toContain(`${FILE}:${line}:${column}: `);
    expect(error.message).toContain(hint);
  });

  test("is reported without quoting the file", () => {
    expect(faultOf('{"token": "planted-secret-1" "b": planted-secret-2}').message).not.toContain("planted");
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

  test.each(texts)("%j is accepted exactly when JSON.parse accepts it", (text) => {
    if (isAcceptedByJson(text)) {
      expect(parseConfigDocument(text, FILE).root).toEqual(JSON.parse(text));
    } else {
      expect(faultOf(text).code).toBe("MCP_CONFIG_INVALID");
    }
  });

  test("generated texts are accepted exactly when JSON.parse accepts them, with the same values", () => {
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
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join("");
        const isEmpty = /^[ \t\r\n]*$/.test(text);
        if (!isAcceptedByJson(text)) return isEmpty || faultOf(text).code === "MCP_CONFIG_INVALID";
        const { root, duplicates } = parseConfigDocument(text, FILE);
        if (duplicates.length === 0) expect(JSON.stringify(root)).toBe(JSON.stringify(JSON.parse(text)));
        return true;
      }),
      casesOf(300, 5_000),
    );
  });

  test("every truncation of a valid file is refused", () => {
    const whole = JSON.stringify({ mcpServers: { a: { command: "x", args: ["\\", "{"], env: { B: "1" } } } });
    for (let length = 1; length < whole.length; length += 1) {
      expect(faultOf(whole.slice(0, length)).code).toBe("MCP_CONFIG_INVALID");
    }
  });

  test("an empty text has no root and is no error", () => {
    expect(parseConfigDocument(" \r\n\t", FILE).root).toBeUndefined();
  });

  test("100,000 nested arrays are refused with a place instead of exhausting the stack", () => {
    const error = faultOf(`{"a":\n${"[".repeat(100_000)}`);
    expect(error.message).toContain("nested more than 64 levels deep");
    expect(error.location).toEqual({ file: FILE, line: 2, column: 64 });
  });

  test("64 levels of nesting are accepted", () => {
    const text = `${"[".repeat(64)}${"]".repeat(64)}`;
    expect(JSON.stringify(parseConfigDocument(text, FILE).root)).toBe(text);
  });
});

describe("places in a JSON document", () => {
  const document = parseConfigDocument(
    '{\n  "mcpServers": {\n    "a/b~c": {\n      "command": "x", "args": [\n        "1",\r\n        "2"]\n    }\n  }\n}',
    FILE,
  );

  test.each([
    [[], 1, 1, ""],
    [["mcpServers"], 2, 3, "/mcpServers"],
    [["mcpServers", "a/b~c"], 3, 5, "/mcpServers/a~1b~0c"],
    [["mcpServers", "a/b~c", "args"], 4, 23, "/mcpServers/a~1b~0c/args"],
    [["mcpServers", "a/b~c", "args", 1], 6, 9, "/mcpServers/a~1b~0c/args/1"],
    [["mcpServers", "a/b~c", "missing"], 3, 5, "/mcpServers/a~1b~0c/missing"],
  ])("the path %j has its line, column and pointer", (path, line, column, pointer) => {
    expect(document.locate(path)).toEqual({ file: FILE, line, column, pointer });
  });
});

describe("keys in a JSON document", () => {
  test("[A4] __proto__ is an ordinary key and pollutes nothing", () => {
    const { root } = parseConfigDocument('{"__proto__": {"polluted": true}, "constructor": 1}', FILE);
    expect(Object.getPrototypeOf(root)).toBeNull();
    expect(Object.keys(root as object)).toEqual(["__proto__", "constructor"]);
    expect(Object.hasOwn({}, "polluted") || "polluted" in {}).toBe(false);
  });

  test("a repeated key is reported with both places, and its last value counts", () => {
    const document = parseConfigDocument('{\n"a": [{"b": 1,\n "b": {"c": 2}}],\n"a": 3}', FILE);
    expect(document.root).toEqual({ a: 3 });
    const repeated = document.duplicates.map(({ path, first, again }) => ({ path, first, again }));
    expect(repeated).toEqual([
      {
        path: ["a", 0, "b"],
        first: { file: FILE, line: 2, column: 8, pointer: "/a/0/b" },
        again: { file: FILE, line: 3, column: 2, pointer: "/a/0/b" },
      },
      {
        path: ["a"],
        first: { file: FILE, line: 2, column: 1, pointer: "/a" },
        again: { file: FILE, line: 4, column: 1, pointer: "/a" },
      },
    ]);
  });

  test("a repeated __proto__ is reported too", () => {
    expect(parseConfigDocument('{"__proto__": 1, "__proto__": 2}', FILE).duplicates).toHaveLength(1);
  });

  test("keys that differ in case only are different keys", () => {
    expect(parseConfigDocument('{"a": 1, "A": 2}', FILE).duplicates).toEqual([]);
  });
});
