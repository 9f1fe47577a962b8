import { describe, expect, it } from "vitest";
import { thrownMessage, thrownText } from "../src/index.ts";

const revoked = Proxy.revocable({}, {});
revoked.revoke();

/** What libraries throw and `String` cannot turn into a string. */
const WITHOUT_A_TEXT: readonly (readonly [string, unknown])[] = [
  ["an object without a prototype", Object.assign(Object.create(null), { error: "invalid_grant" })],
  [
    "an object whose text is none",
    {
      toString: () => {
        throw new Error("no");
      },
    },
  ],
  ["a proxy that was revoked", revoked.proxy],
];

describe("the text of what was thrown", () => {
  it("is that of the error, with and without its name", () => {
    const error = new TypeError("no such file");
    expect([thrownText(error), thrownMessage(error)]).toEqual(["TypeError: no such file", "no such file"]);
  });

  it("is what was thrown, where that is no error", () => {
    const similar = { message: "an error is more than this", toString: () => "down" };
    for (const thrown of ["down", 7, undefined, Symbol("down"), similar])
      expect([thrownText(thrown), thrownMessage(thrown)]).toEqual([String(thrown), String(thrown)]);
  });

  it.each(WITHOUT_A_TEXT)("does not throw for %s", (_, thrown) => {
    expect([thrownText(thrown), thrownMessage(thrown)]).toEqual([
      "a value without a text",
      "a value without a text",
    ]);
  });
});
