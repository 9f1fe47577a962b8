import { describe, expect, test } from "vitest";
import { parse } from "../discovery/parsing.ts";

/** The variables of the first server. */
async function envOf(host: string, text: string, file = "/folder/file") {
  const { servers, diagnostics } = await parse(text, { host, file });
  const places = diagnostics.map(({ code, pointer }) => [code, pointer?.split("/").at(-1)]);
  return { env: servers[0]?.written.env, places };
}

const NUMBERS = {
  A: "9007199254740993",
  B: "12345678901234567890",
  C: "1.10",
  D: "-0",
  E: "8080",
  F: "2.50",
};
const inJson = Object.entries(NUMBERS)
  .map(([name, number]) => `"${name}" : ${number}`)
  .join(", ");

describe("a number in env is the text that somebody wrote", () => {
  test.each([
    ["claude-code", `{"mcpServers":{"a":{"command":"x","env":{${inJson}}}}}`],
    ["claude-code", `{"mcpServers":{"a":{"command":"x","env":{ // c\n${inJson}}}}}`],
    ["vscode", `{"servers":{"a":{"command":"x","env":{${inJson}},}}}`],
    ["continue", `{"mcpServers":{"a":{"command":"x","env":{${inJson}}}}}`, "/folder/mcp.json"],
    ["zed", `{"context_servers":{"a":{"command":"x","env":{${inJson}}}}}`],
  ])("in JSON of %s", async (host, text, file?: string) => {
    expect((await envOf(host, text, file)).env).toEqual(NUMBERS);
  });

  test("in YAML", async () => {
    const variables = "{ A: 9007199254740993, B: 1.10, C: 007, D: 8080, E: 0o17 }";
    const text = `mcpServers:\n  - name: a\n    command: x\n    env: ${variables}\n`;
    const { env } = await envOf("continue", text);
    expect(env).toEqual({ A: "9007199254740993", B: "1.10", C: "007", D: "8080", E: "15" });
  });

  test("in YAML, where the host lets some variables through and others not", async () => {
    const variables = "{ A: 007, PATH: 1, B: 1.10, C: 9007199254740993, D: 8080, E: true }";
    const text = `extensions:\n  a:\n    type: stdio\n    cmd: x\n    envs: ${variables}\n`;
    const { env, places } = await envOf("goose", text);
    expect(env).toEqual({ A: "007", B: "1.10", C: "9007199254740993", D: "8080", E: "true" });
    expect(places).toEqual([["invalid-field", "envs"]]);
  });

  test("and one whose digits are lost on the way is left out and told of", async () => {
    const text =
      "extensions:\n  a:\n    type: stdio\n    cmd: x\n    envs: { <<: { A: 9007199254740993 }, B: 1 }\n";
    expect(await envOf("goose", text)).toEqual({ env: { B: "1" }, places: [["invalid-field", "A"]] });
  });

  test("in TOML, in every kind of table", async () => {
    const inline = "env = { A = 9007199254740993, B = 1.10, C = 0xff, D = 1_000 }";
    const expected = { A: "9007199254740993", B: "1.10", C: "255", D: "1000" };
    expect((await envOf("codex", `[mcp_servers.a]\ncommand = "x"\n${inline}\n`)).env).toEqual(expected);
    const table = "[mcp_servers.a]\ncommand = 'x'\n[mcp_servers.a.env]\nA = 2.50 # two\nB = 8080\n";
    expect((await envOf("codex", table)).env).toEqual({ A: "2.50", B: "8080" });
  });

  test.each(["12345678901234567e3", "1e999"])(
    "and %s, which is none, is left out and told of",
    async (number) => {
      const { env, places } = await envOf(
        "claude-code",
        `{"mcpServers":{"a":{"command":"x","env":{"A":${number}}}}}`,
      );
      expect(env).toEqual({});
      expect(places).toEqual([["invalid-field", "A"]]);
    },
  );

  test("and stays refused in Jackfield's own files", async () => {
    const { told } = await parse('{"mcpServers":{"a":{"command":"x","env":{"A":1.10}}}}', {
      host: "jackfield",
    });
    expect(told).toEqual(["ServerConfigError: a"]);
  });
});

test("a large integer in a field that nobody knows keeps its digits", async () => {
  const text = '[mcp_servers.a]\ncommand = "x"\nfoo = 9007199254740993\n';
  const { servers } = await parse(text, { host: "codex", file: "/folder/config.toml" });
  expect(servers[0]?.written.extra).toEqual({ foo: "9007199254740993" });
});
