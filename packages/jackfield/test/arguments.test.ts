import { describe, expect, it } from "vitest";
import { parseJson, readArguments } from "../src/command-line/arguments.ts";

it("an option that nobody knows is told in a sentence, without the class of an error", () => {
  expect(() => readArguments(["status", "--no-such-option"])).toThrow(
    expect.objectContaining({
      code: "MCP_CONFIG_INVALID",
      message: expect.stringMatching(/^Unknown option '--no-such-option'/),
    }),
  );
});

const WHAT = "The JSON of the tool's arguments";

describe("what is no JSON", () => {
  it.each([
    ["sk-SECRET0123456789", 1],
    ['{"password":sk-SECRET0123456789}', 13],
    ['{"password":"sk-SECRET" "user":1}', 25],
    ["{password:1}", 2],
    ["{'password':1}", 2],
    ['{"password":"SECRET",}', 22],
    ['{"password":1}}', 15],
    ['["SECRET" "SECRET"]', 11],
    ["[1,]", 4],
    ["01", 2],
    ["1.SECRET", 3],
    ["trueSECRET", 5],
    ["NaN", 1],
    ['"\\SECRET"', 3],
    ["\ufeff{}", 1],
  ])("is refused for %j with the place where it stops being JSON, and without its text", (text, place) => {
    expect(() => parseJson(text, WHAT)).toThrow(
      expect.objectContaining({
        code: "MCP_CONFIG_INVALID",
        message: `${WHAT} is not valid at character ${place}.`,
      }),
    );
  });

  it.each(["", "{", '{"password":"SECRET', '{"password":', "[1, -", "tru", '"\\u00'])(
    "is refused for %j because it ends too early",
    (text) => {
      expect(() => parseJson(text, WHAT)).toThrow(`${WHAT} ends too early.`);
    },
  );

  it("is not what is JSON", () => {
    const text = ' {"a":[1,-2.5e+10,true,false,null,"\\u00e9\\n"],"b":{"c":{}}} ';
    expect(parseJson(text, WHAT)).toEqual(JSON.parse(text));
  });
});
