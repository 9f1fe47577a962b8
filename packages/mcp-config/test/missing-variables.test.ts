import { describe, expect, test } from "vitest";
import { variablesOf } from "../src/hosts/host-dialects.ts";
import { withoutDefaults } from "../src/missing-variables.ts";
import { parse } from "./discovery/parsing.ts";
import { IN_FILE, IN_PROJECT, refused, resolveHttp } from "./resolution.ts";

describe("the error for a reference to several variables", () => {
  const message = async (
    text: string,
    { definedIn = IN_PROJECT, ...options }: Parameters<typeof resolveHttp>[1] & { definedIn?: object },
  ) => {
    const written = { headers: { H: text }, definedIn: { ...definedIn, host: "crush" } as never };
    return (await refused(resolveHttp(written, options))).message;
  };

  test("names the one that was withheld", async () => {
    const env = { A: "", GITHUB_TOKEN: "planted" };
    const found = await message("${A:-$GITHUB_TOKEN}", { env, projectVariables: ["A"] });
    expect(found).toContain(
      'refers to a variable that is not given to a project\'s entry: "GITHUB_TOKEN" in "headers.H". A project\'s entry gets variables named like credentials only',
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
    const found = await message("${A:?why}", { env: { A: "" }, projectVariables: [] });
    expect(found).toContain(
      'refers to a variable that is not set, or empty, and not given to a project\'s entry either: "A" in "headers.H".',
    );
    expect(found).toContain(", and set it");
    const set = await message("${A:?why}", { env: { A: "a" }, projectVariables: [] });
    expect(set).toContain("refers to a variable that is not given to a project's entry:");
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
  ["jackfield", "${STAGE:-planted}.env", "${STAGE:-…}.env"],
  ["jackfield", "a/${A:-${B}planted}/${C}.env", "a/${A:-…}/${C}.env"],
  ["jackfield", "${A:-planted", "${A:-…"],
  ["cursor", "${env:A:-planted}.env", "${env:A:-…}.env"],
  ["cursor", "${A:-planted}/.env", "${A:-…}/.env"],
  ["sep-2633", "${env:A | value:planted}.env", "${env:A |…}.env"],
  ["omp", "!planted", "!planted"],
  ["crush", "$(planted)/${A:-${B:-planted}}", "…/${A:-…}"],
  ["vscode", "${A:-${B:-planted}}/${C:?${D-planted}planted}.env", "${A:-…}/${C:?…}.env"],
  ["vscode", "a/${A-{x}planted}/.env", "a/${A-…}/.env"],
  ["vscode", "${A:-${B:-planted}/.env", "${A:-…"],
  ["vscode", "${input:env-file:-planted}/.env", "${input:env-file:-…}/.env"],
  ["vscode", "${input:env-file}/.env", "${input:env-file}/.env"],
  ["jackfield", "${input:env-file}/${file:/a-b=c?d}/.env", "${input:env-file}/${file:/a-b=c?d}/.env"],
  ["jackfield", "${env:A-planted}/${A=planted}", "${env:A-…}/${A=…}"],
  ["vscode", "${workspaceFolder}/${env:A}-x.env", "${workspaceFolder}/${env:A}-x.env"],
])("withoutDefaults hides the defaults in a text of %s: %s", (host, text, shown) => {
  expect(withoutDefaults(text, variablesOf(host))).toBe(shown);
});
