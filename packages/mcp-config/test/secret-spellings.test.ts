import { redact } from "@jackfield/mcp-core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { secretSpellings } from "../src/index.ts";

const WRITTEN: readonly (readonly [string, (secret: string) => string])[] = [
  ["as it is", (secret) => secret],
  ["as JSON", (secret) => JSON.stringify(secret).slice(1, -1)],
  ["as JSON in JSON", (secret) => JSON.stringify(JSON.stringify(secret)).slice(3, -3)],
  ["in a JSON Pointer", (secret) => secret.replaceAll("~", "~0").replaceAll("/", "~1")],
  ["percent-encoded", (secret) => encodeURIComponent(secret)],
  [
    "percent-encoded in lower case",
    (secret) => encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
  ],
  ["as a form", (secret) => new URLSearchParams({ a: secret }).toString().slice(2)],
  ["in base64", (secret) => Buffer.from(secret).toString("base64")],
  ["in base64url", (secret) => Buffer.from(secret).toString("base64url")],
];

describe("of a secret nothing is left by hiding all its spellings", () => {
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

  test.each([0, 1, 2])("in base64 behind %i other bytes", (before) => {
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

test("short values have one spelling, since others would be found in any text", () => {
  expect(secretSpellings("abc")).toEqual(["abc"]);
});
