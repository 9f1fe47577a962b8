import { describe, expect, test } from "vitest";
import { displayUrl } from "../../src/errors/wording.ts";
import { judgeRedirect } from "../../src/http/http-call.ts";

const from = new URL("https://one.example/mcp");

describe("a redirect", () => {
  test.each([
    ["GET", 301, "/other"],
    ["GET", 302, "https://one.example/other"],
    ["POST", 307, "/other"],
    ["POST", 308, "/other"],
    ["DELETE", 307, "/other"],
  ])("of %s with %d to %s is followed", (method, status, location) => {
    expect(judgeRedirect(method, from, status, location)).toMatchObject({ kind: "follow" });
  });

  test.each([
    ["POST", 301, "/other"],
    ["POST", 302, "/other"],
    ["POST", 303, "/other"],
    ["DELETE", 302, "/other"],
    ["GET", 302, "https://two.example/mcp"],
    ["GET", 307, "https://one.example:8443/mcp"],
    ["GET", 307, "http://one.example/mcp"],
    ["GET", 307, "//two.example/mcp"],
    ["GET", 307, "https://user:secret@one.example/mcp"],
    ["GET", 307, "javascript:alert(1)"],
    ["POST", 307, "http://169.254.169.254/latest"],
    ["POST", 308, "http://["],
  ])("[T29] of %s with %d to %s is refused", (method, status, location) => {
    expect(judgeRedirect(method, from, status, location)).toMatchObject({ kind: "refuse" });
  });

  test("needs a Location header and a redirect status", () => {
    expect(judgeRedirect("GET", from, 302, undefined)).toBeUndefined();
    expect(judgeRedirect("GET", from, 200, "/other")).toBeUndefined();
    expect(judgeRedirect("GET", from, 304, "/other")).toBeUndefined();
  });

  test.each([
    ["mailto:someone@two.example", "mailto:someone@two.example"],
    ["javascript:alert(1)?token=secret", "javascript:alert(1)"],
    ["data:,text#x", "data:,text"],
  ])("to %s, which has no origin, is shown as %s", (location, shown) => {
    expect(judgeRedirect("POST", from, 307, location)).toEqual({ kind: "refuse", to: shown });
  });

  test("[T50] is shown without its login, query and fragment", () => {
    expect(displayUrl(new URL("https://user:pass@two.example/a?token=secret#x"))).toBe(
      "https://two.example/a",
    );
  });
});
