import { redact } from "@jackfield/mcp-core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { secretSpellings } from "../src/index.ts";

const WRITTEN: readonly (readonly [string, (secret: string) => string])[] = [
  ["as plain text", (secret) => secret],
  ["as JSON", (secret) => JSON.stringify(secret).slice(1, -1)],
  ["as JSON in JSON", (secret) => JSON.stringify(JSON.stringify(secret)).slice(3, -3)],
  [
    "as JSON in JSON in JSON",
    (secret) => JSON.stringify(JSON.stringify(JSON.stringify(secret))).slice(7, -7),
  ],
  ["in a JSON Pointer", (secret) => secret.replaceAll("~", "~0").replaceAll("/", "~1")],
  ["percent-encoded", (secret) => encodeURIComponent(secret)],
  [
    "percent-encoded in lower case",
    (secret) => encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
  ],
  ["as form data", (secret) => new URLSearchParams({ a: secret }).toString().slice(2)],
  ["in base64", (secret) => Buffer.from(secret).toString("base64")],
  ["in base64url", (secret) => Buffer.from(secret).toString("base64url")],
];

describe("redacting all spellings of a secret hides it", () => {
  const secret = fc
    .string({ minLength: 8, maxLength: 40, unit: "binary-ascii" })
    .filter((text) => text.trim().length >= 8);

  test.each(WRITTEN)("%s", (_how, write) => {
    fc.assert(
      fc.property(secret, (value) => {
        const text = write(value);
        expect(redact(`<${text}>`, secretSpellings(value))).not.toContain(text);
      }),
    );
  });

  test.each([0, 1, 2])("in base64 after %i other bytes", (before) => {
    fc.assert(
      fc.property(secret, fc.string({ maxLength: 5 }), (value, after) => {
        const whole = Buffer.from(`${"u".repeat(before)}${value}${after}`);
        for (const encoding of ["base64", "base64url"] as const) {
          const hidden = redact(whole.toString(encoding), secretSpellings(value));
          expect(hidden).toContain("[redacted]");
          // At most one byte at either end shares a character with a neighbour.
          expect(hidden.replace("[redacted]", "").length).toBeLessThanOrEqual(
            whole.length - value.length + 12,
          );
        }
      }),
    );
  });
});

test("a short value has only its plain spelling", () => {
  expect(secretSpellings("abc")).toEqual(["abc"]);
});

test.each([
  ["Python", String.raw`p\u00e4ss-\ud83d\ude00-w/rd&<\"`],
  ["Go", String.raw`päss-😀-w/rd\u0026\u003c\"`],
  ["PHP", String.raw`p\u00e4ss-\ud83d\ude00-w\/rd&<\"`],
  ["PHP, told to keep Unicode", String.raw`päss-😀-w\/rd&<\"`],
])("a value is hidden in the JSON of %s, and in JSON that contains it", (_program, json) => {
  const spellings = secretSpellings('päss-😀-w/rd&<"');
  for (let text = json, rounds = 0; rounds < 3; rounds += 1) {
    expect(redact(`<${text}>`, spellings)).toBe("<[redacted]>");
    text = JSON.stringify(text).slice(1, -1);
  }
});

test.each([
  ["Gson", String.raw`a\u0026b\u003cc\u0027+de\u003d\u003d\"`],
  [".NET", String.raw`a\u0026b\u003Cc\u0027\u002Bde==\u0022`],
])("a key is hidden in the JSON of %s", (_program, json) => {
  expect(redact(`<${json}>`, secretSpellings(`a&b<c'+de=="`))).toBe("<[redacted]>");
});

test("a value without special characters has no more spellings for it", () => {
  expect(secretSpellings("sk-live-abcdef").filter((spelling) => spelling.startsWith("sk"))).toEqual([
    "sk-live-abcdef",
  ]);
});
