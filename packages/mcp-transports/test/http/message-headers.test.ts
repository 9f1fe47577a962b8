import { describe, expect, test } from "vitest";
import { encodeHeaderValue, findInvalidHeader, mirroredHeaders } from "../../src/http/message-headers.ts";
import { readSessionId } from "../../src/http/session-id.ts";

const decode = (value: string) => Buffer.from(value.slice("=?base64?".length, -2), "base64").toString();

describe("a header value", () => {
  test.each(["plain", "with space", "with\ttab", "~!@#"])("%j is sent as it is", (text) => {
    expect(encodeHeaderValue(text)).toBe(text);
  });

  test.each(["", " padded ", "a\r\nX-Evil: y", "nul\0", "emoji 😀", "=?base64?eA==?="])(
    "[T44] %j is encoded as Base64",
    (text) => {
      const value = encodeHeaderValue(text);
      expect(value).toMatch(/^=\?base64\?[A-Za-z0-9+/]*=*\?=$/);
      expect(decode(value)).toBe(text);
    },
  );

  test("can be added to a message only as an Mcp-Param header", () => {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo" } } as const;
    const extra = { "Mcp-Param-Region": "eu", "Mcp-Session-Id": "stolen", authorization: "x" };
    expect(mirroredHeaders(message, "2026-07-28", extra)).toEqual([
      ...["mcp-protocol-version", "2026-07-28"],
      ...["mcp-method", "tools/call"],
      ...["mcp-name", "echo"],
      ...["mcp-param-region", "eu"],
    ]);
  });

  test.each(["constructor", "toString", "__proto__"])(
    "carries a method named %s like any other",
    (method) => {
      const message = { jsonrpc: "2.0", id: 1, method, params: {} } as const;
      expect(mirroredHeaders(message, "2026-07-28", undefined)).toEqual([
        "mcp-protocol-version",
        "2026-07-28",
        "mcp-method",
        method,
      ]);
    },
  );
});

describe("a configured header", () => {
  test.each([
    [{ "X-Key": "a\r\nX-Evil: y" }, "X-Key"],
    [{ "X-Key": "a\0" }, "X-Key"],
    [{ "X Key": "a" }, "X Key"],
    [{ "": "a" }, ""],
    [{ "X-Key": "ключ" }, "X-Key"],
  ])("[T44] in %j is invalid", (headers, name) => {
    expect(findInvalidHeader(headers)).toBe(name);
  });

  test("with Latin letters or a tab is valid", () => {
    expect(findInvalidHeader({ "X-Key": "Zürich\tBern", "x-other": "" })).toBeUndefined();
  });
});

describe("a session id", () => {
  test.each(["a b", "a\nb", "ключ", "x".repeat(1025)])("[T47] %j is refused without being shown", (id) => {
    expect(() => readSessionId(id)).toThrow(/^its session id is not valid$/);
  });

  test("of visible ASCII is accepted, and an empty one counts as none", () => {
    expect(readSessionId("!~abc-123")).toBe("!~abc-123");
    expect(readSessionId("")).toBeUndefined();
    expect(readSessionId(undefined)).toBeUndefined();
  });
});
