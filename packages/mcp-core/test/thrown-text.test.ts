import { describe, expect, it } from "vitest";
import { thrownMessage, thrownText } from "../src/index.ts";

const revoked = Proxy.revocable({}, {});
revoked.revoke();

/** Values that libraries throw and `String` cannot convert. */
const UNPRINTABLE: readonly (readonly [string, unknown])[] = [
  ["an object without a prototype", Object.assign(Object.create(null), { error: "invalid_grant" })],
  [
    "an object whose toString throws",
    {
      toString: () => {
        throw new Error("no");
      },
    },
  ],
  ["a revoked proxy", revoked.proxy],
];

describe("the text of a thrown value", () => {
  it("is the error's message, with or without its name", () => {
    const error = new TypeError("no such file");
    expect([thrownText(error), thrownMessage(error)]).toEqual(["TypeError: no such file", "no such file"]);
  });

  it("is the value as a string if it is not an Error", () => {
    const similar = { message: "an error is more than this", toString: () => "down" };
    for (const thrown of ["down", 7, undefined, Symbol("down"), similar])
      expect([thrownText(thrown), thrownMessage(thrown)]).toEqual([String(thrown), String(thrown)]);
  });

  it.each(UNPRINTABLE)("is a placeholder for %s", (_, thrown) => {
    expect([thrownText(thrown), thrownMessage(thrown)]).toEqual([
      "a value without a text",
      "a value without a text",
    ]);
  });
});
