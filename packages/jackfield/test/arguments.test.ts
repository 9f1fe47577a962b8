import { describe, expect, it } from "vitest";
import { readArguments } from "../src/command-line/arguments.ts";
import { parseJson } from "../src/command-line/option-values.ts";

it("an unknown option is reported as a sentence, without an error class", async () => {
  await expect(readArguments(["status", "--no-such-option"])).rejects.toThrow(
    expect.objectContaining({
      code: "MCP_CONFIG_INVALID",
      message: expect.stringMatching(/^There is no option "--no-such-option"; "jackfield --help"/),
    }),
  );
});

it("--input and --var say what entries get; a name that is repeated has several answers", async () => {
  const words = [
    "--input",
    "region=eu",
    "--input",
    "url=a=b",
    "--input",
    "region=us",
    "--var",
    "A",
    "--var",
    "B",
  ];
  expect(await readArguments(["status", ...words])).toMatchObject({
    inputs: { region: ["eu", "us"], url: "a=b" },
    projectVariables: ["A", "B"],
  });
  for (const faulty of ["region", "=eu"])
    await expect(readArguments(["--input", faulty])).rejects.toThrow('"--input" must be NAME=VALUE');
});

const WHAT = "The JSON of the tool's arguments";

describe("parseJson", () => {
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
  ])("refuses %j with the position of the first error, and does not quote the text", (text, place) => {
    expect(() => parseJson(text, WHAT)).toThrow(
      expect.objectContaining({
        code: "MCP_CONFIG_INVALID",
        message: `${WHAT} is not valid at character ${place}.`,
      }),
    );
  });

  it.each(["", "{", '{"password":"SECRET', '{"password":', "[1, -", "tru", '"\\u00'])(
    "reports that %j ends too early",
    (text) => {
      expect(() => parseJson(text, WHAT)).toThrow(`${WHAT} ends too early.`);
    },
  );

  it("parses valid JSON", () => {
    const text = ' {"a":[1,-2.5e+10,true,false,null,"\\u00e9\\n"],"b":{"c":{}}} ';
    expect(parseJson(text, WHAT)).toEqual(JSON.parse(text));
  });
});
