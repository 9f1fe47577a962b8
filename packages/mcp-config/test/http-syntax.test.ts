import { casesOf } from "@jackfield/test-kit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isNormalUrl } from "../src/entry/http-syntax.ts";

const PIECE = fc.constantFrom(
  ...["http", "https", "://", ":443", "/", ".", "-", "_", "..", "%41", "@", "?", "#", "\\", "\n", " "],
  ...["a", "Z", "0", "7f", "0x7f", "xn--", "xn--a", "example", "mcp"],
);

test("parsing leaves a normal URL as it is", () => {
  const texts = fc.array(PIECE, { maxLength: 8 }).map((pieces) => `https://a${pieces.join("")}`);
  fc.assert(
    fc.property(texts, (text) => {
      if (isNormalUrl(text)) expect(URL.parse(text)?.href).toBe(text);
    }),
    casesOf(300, 5_000),
  );
});

test.each([
  ["https://server-1.example/mcp", true],
  ["http://localhost/", true],
  ["https://mcp.example/a_b/c-d/", true],
  ["https://mcp.example", false],
  ["https://mcp.example:443/", false],
  ["https://mcp.example/a/../b", false],
  ["https://MCP.example/", false],
  ["https://127.0.0.1/", false],
  ["https://xn--a.example/", false],
  ["https://mcp.example/\n", false],
])("%j is normal: %s", (text, expected) => {
  expect(isNormalUrl(text)).toBe(expected);
});
