import { describe, expect, it } from "vitest";
import { isBase64 } from "../src/base64.ts";

describe("isBase64", () => {
  it.each(["", "AAAA", "aGk=", "aA==", "aGk", "aA", "-_-_", "+/+/", "aG\r\nk=", " aGk= "])(
    "accepts %j",
    (data) => {
      expect(isBase64(data)).toBe(true);
      // The AI SDK decodes in this way.
      expect(() => atob(data.replaceAll("-", "+").replaceAll("_", "/"))).not.toThrow();
    },
  );

  it.each([
    "%%%",
    "https://example.org/x.png",
    "A",
    "AAAAA",
    "aGk==",
    "a===",
    "=",
    "a=aa",
    "aa=a",
    "aA=",
    "é===",
    "====",
    "AAAA=",
  ])("rejects %j", (data) => {
    expect(isBase64(data)).toBe(false);
    expect(() => atob(data)).toThrow();
  });

  it("judges 32 MiB of data without stalling", () => {
    const data = "A".repeat(32 * 1_048_576);
    expect(isBase64(data)).toBe(true);
    expect(isBase64(`${data}%`)).toBe(false);
    expect(isBase64(`${data}=A==`)).toBe(false);
  });
});
