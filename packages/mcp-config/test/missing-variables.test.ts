import { describe, expect, test } from "vitest";
import { parse } from "./discovery/parsing.ts";
import { IN_FILE, IN_PROJECT, refused, resolveHttp, resolveStdio } from "./resolution.ts";

describe("the error for a reference to several variables", () => {
  const message = async (
    text: string,
    { definedIn = IN_PROJECT, ...options }: Parameters<typeof resolveHttp>[1] & { definedIn?: object },
  ) => {
    const written = { headers: { H: text }, definedIn: { ...definedIn, host: "crush" } as never };
    return (await refused(resolveHttp(written, options))).message;
  };

  test("names the one that was withheld", async () => {
    const env = { GITHUB_TOKEN: "planted" };
    const found = await message("${A:-$GITHUB_TOKEN}", { env, projectVariables: ["A"] });
    expect(found).toContain(
      'refers to variables that are not set, or not given to a project\'s entry: "A" or "GITHUB_TOKEN" in "headers.H". Option "projectVariables" gives a variable that is named like a credential only',
    );
  });

  test("names all of them if none has a usable value", async () => {
    const env = { B: "b" };
    expect(await message("${A:-$B}", { env, projectVariables: ["A"] })).toContain(
      'refers to variables that are not set, or not given to a project\'s entry: "A" or "B" in "headers.H".',
    );
    expect(await message("${A:-$B}", { env, projectVariables: [] })).toContain(
      'refers to variables that are not set, or not given to a project\'s entry: "A" or "B" in "headers.H".',
    );
    expect(await message("${A:-$C}", { env, definedIn: IN_FILE })).toMatch(
      / refers to a variable that is not set: "A" or "C" in "headers.H"\. Set one of them\.$/,
    );
  });

  test("treats an empty variable that must not be empty as unset", async () => {
    const found = await message("${A:?why}", { env: { A: "" }, projectVariables: ["A"] });
    expect(found).toContain('refers to a variable that is not set, or empty: "A" in "headers.H".');
  });

  test("has a diagnostic that names all of them", async () => {
    const entry = { type: "http", url: "https://h", headers: { H: "${A:-$B}" } };
    const { diagnostics } = await parse({ mcp: { s: entry } }, { host: "crush", env: {} });
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'Server "s": "A" or "B" in "headers.H" is not set.',
    ]);
  });
});

describe("the error for an unset or empty bearer token variable", () => {
  test.each([
    ["codex", "bearer_token_env_var"],
    ["jackfield", "bearerTokenEnv"],
    [undefined, "bearerTokenEnv"],
    // mcporter has two names for the field.
    ["mcporter", undefined],
  ])("names the field of %s if it has one name, and suggests no default", async (host, field) => {
    const place = field === undefined ? "as the variable of the bearer token" : `in "${field}"`;
    const definedIn = { ...IN_FILE, host } as never;
    for (const env of [{}, { T: "" }]) {
      const { code, message } = await refused(resolveHttp({ definedIn, bearerTokenEnv: "T" }, { env }));
      expect(code).toBe("MCP_CONFIG_VARIABLE_MISSING");
      expect(message).toContain(`refers to a variable that is not set, or empty: "T" ${place}. Set it.`);
    }
  });
});

test.each([
  ["jackfield", "${STAGE:-planted}.env", "…"],
  ["jackfield", "a/${A:-${B}planted}/${C:-c}.env", "a/…"],
  ["jackfield", "a/$ghp_AbC123planted/.env", "a/…"],
  ["cursor", "a/${A:-planted}/.env", "a/…"],
  ["sep-2633", "${env:A | value:planted}.env", "…"],
  ["vscode", "x/${A:-${B:-planted}/.env", "x/…"],
])("the error for an envFile shows no default in its path: %s, %s", async (host, envFile, shown) => {
  const written = { envFile: `/nowhere/${envFile}`, definedIn: { ...IN_FILE, host } as never };
  const { code, message } = await refused(resolveStdio(written));
  expect(code).toBe("MCP_CONFIG_NOT_FOUND");
  expect(message).toContain(`the file "/nowhere/${shown}" cannot be read`);
  expect(message).not.toContain("planted");
});
