import { describe, expect, test } from "vitest";
import { type InlineServer, loadServers } from "../../src/index.ts";
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
  G: "10000000000000000",
  H: "-9007199254740992",
};
const inJson = Object.entries(NUMBERS)
  .map(([name, number]) => `"${name}" : ${number}`)
  .join(", ");

describe("a number in env keeps its written digits", () => {
  test.each([
    ["claude-code", `{"mcpServers":{"a":{"command":"x","env":{${inJson}}}}}`],
    ["claude-code", `{"mcpServers":{"a":{"command":"x","env":{ // c\n${inJson}}}}}`],
    ["vscode", `{"servers":{"a":{"command":"x","env":{${inJson}},}}}`],
    ["continue", `{"mcpServers":{"a":{"command":"x","env":{${inJson}}}}}`, "/folder/mcp.json"],
    ["zed", `{"context_servers":{"a":{"command":"x","env":{${inJson}}}}}`],
  ])("in JSON of %s", async (host, text, file?: string) => {
    expect((await envOf(host, text, file)).env).toEqual(NUMBERS);
  });

  test.each([
    ["1.10", "1.10"],
    ["1.0", "1.0"],
    ["10000000000000000", "10000000000000000"],
    ["9007199254740992", "9007199254740992"],
    ["123456789012345680000", "123456789012345680000"],
    ["2", "2"],
    ["1e3", "1000"],
  ])("in otherwise plain JSON: %s", async (number, text) => {
    const { env, places } = await envOf(
      "claude-code",
      `{"mcpServers":{"a":{"command":"x","env":{"A":${number}}}}}`,
    );
    expect([env, places]).toEqual([{ A: text }, []]);
  });

  test.each([
    ["1.10", "2", "2"],
    ["9007199254740993", "5", "5"],
    ["2", "1.10", "1.10"],
    ["1.10", "2.50", "2.50"],
    ["1.10", '"x"', "x"],
  ])("from the last of two duplicate keys: %s, %s", async (first, last, text) => {
    const content = `{"mcpServers":{"a":{"command":"x","env":{"A":${first},"A":${last}}}}}`;
    expect((await envOf("claude-code", content)).env).toEqual({ A: text });
  });

  test("in YAML", async () => {
    const variables =
      "{ A: 9007199254740993, B: 1.10, C: 007, D: 8080, E: 0o17, F: +5, G: 10000000000000000 }";
    const text = `mcpServers:\n  - name: a\n    command: x\n    env: ${variables}\n`;
    const { env } = await envOf("continue", text);
    const large = { A: "9007199254740993", G: "10000000000000000" };
    expect(env).toEqual({ ...large, B: "1.10", C: "007", D: "8080", E: "15", F: "+5" });
  });

  test.each([
    ["a merged map", "{ <<: { A: 1.10, B: 007 }, C: 2 }", { A: "1.10", B: "007", C: "2" }],
    ["several merged maps", "{ <<: [{ A: 1.10 }, { A: 2.50, B: 007 }] }", { A: "1.10", B: "007" }],
    ["a merged map after an own key", "{ A: 2, <<: { A: 1.10 }, B: 3 }", { A: "2", B: "3" }],
    ["a merged map before own keys", "{ <<: { A: 1.10, B: 2.50 }, A: 2, B: 3.0 }", { A: "2", B: "3.0" }],
    ["a merged map after an own null", "{ A: null, <<: { A: 1.10 } }", { A: null }],
    ["an alias for a map", "*map", { A: "1.10", B: "007" }],
    ["a merged alias", "{ <<: *map, C: *number }", { A: "1.10", B: "007", C: "2.50" }],
  ])("in YAML, through %s", async (_what, variables, expected) => {
    const anchors = "x: &map { A: 1.10, B: 007 }\ny: &number 2.50\n";
    const text = `${anchors}mcpServers:\n  - name: a\n    command: x\n    env: ${variables}\n`;
    expect((await envOf("continue", text)).env).toEqual(expected);
  });

  test("in YAML, even if the host drops another variable", async () => {
    const variables = "{ A: 007, PATH: 1, B: 1.10, C: 9007199254740993, D: 8080, E: true }";
    const text = `extensions:\n  a:\n    type: stdio\n    cmd: x\n    envs: ${variables}\n`;
    const { env, places } = await envOf("goose", text);
    expect(env).toEqual({ A: "007", B: "1.10", C: "9007199254740993", D: "8080", E: "true" });
    expect(places).toEqual([["invalid-field", "PATH"]]);
  });

  test("in TOML, in inline and regular tables", async () => {
    const large = "E = 10000000000000000, F = 9_007_199_254_740_993, G = +5";
    const inline = `env = { A = 9007199254740993, B = 1.10, C = 0xff, D = 1_000, ${large} }`;
    const small = { B: "1.10", C: "255", D: "1000", G: "+5" };
    const expected = { ...small, A: "9007199254740993", E: "10000000000000000", F: "9007199254740993" };
    expect((await envOf("codex", `[mcp_servers.a]\ncommand = "x"\n${inline}\n`)).env).toEqual(expected);
    const table = "[mcp_servers.a]\ncommand = 'x'\n[mcp_servers.a.env]\nA = 2.50 # two\nB = 8080\n";
    expect((await envOf("codex", table)).env).toEqual({ A: "2.50", B: "8080" });
  });

  test.each(["12345678901234567e3", "1e16", "1e999"])(
    "unless it is %s, which is dropped and reported",
    async (number) => {
      const { env, places } = await envOf(
        "claude-code",
        `{"mcpServers":{"a":{"command":"x","env":{"A":${number}}}}}`,
      );
      expect(env).toEqual({});
      expect(places).toEqual([["invalid-field", "A"]]);
    },
  );

  test("but is refused in Jackfield's own files", async () => {
    const { told } = await parse('{"mcpServers":{"a":{"command":"x","env":{"A":1.10}}}}', {
      host: "jackfield",
    });
    expect(told).toEqual(["ServerConfigError: a"]);
  });
});

describe("a large integer", () => {
  test("in an unknown TOML field keeps its digits at any depth", async () => {
    const text =
      '[mcp_servers.a]\ncommand = "x"\nfoo = 9007199254740993\nbar = { b = [-9007199254740993, 1] }\n';
    const { servers } = await parse(text, { host: "codex", file: "/folder/config.toml" });
    expect(servers[0]?.written.extra).toEqual({
      foo: "9007199254740993",
      bar: { b: ["-9007199254740993", 1] },
    });
  });

  test("in an unknown JSON field keeps its digits, and a decimal stays a number", async () => {
    const text = '{"mcpServers":{"a":{"command":"x","foo":9007199254740993,"bar":{"a":1.10}}}}';
    const { servers } = await parse(text, { host: "claude-code" });
    expect(servers[0]?.written.extra).toEqual({ foo: "9007199254740993", bar: { a: 1.1 } });
  });

  test.each([
    ["alone", '"ids":[12345678901234567890]'],
    ["beside smaller ones", '"ids":[1,12345678901234567890,1e20,[9007199254740993]]'],
    ["in an object in a list", '"ids":[{"n":12345678901234567890}]'],
    ["beside a comment", '"ids":[ /* c */ 12345678901234567890 ,-9007199254740993]'],
  ])("in a JSON list keeps its digits: %s", async (_what, field) => {
    const text = `{"mcpServers":{"a":{"command":"x",${field}}}}`;
    const { servers } = await parse(text, { host: "gemini" });
    const exact = field.replace(/\/.*\//, "").replaceAll(/-?\d{16,}/g, '"$&"');
    expect(servers[0]?.written.extra).toEqual(JSON.parse(`{${exact}}`));
  });

  test.each<[string, string, string, object]>([
    [
      "codex",
      "config.toml",
      '[mcp_servers.a]\ncommand="x"\nenv_vars=[{name="B"},{name="A",source="remote",id=9007199254740993}]\n',
      { env_vars: [{ name: "A", source: "remote", id: "9007199254740993" }] },
    ],
    [
      "opencode",
      "opencode.json",
      '{"mcp":{"a":{"type":"local","command":["x"],"timeout":{"execution":1,"foo":9007199254740993}}}}',
      { timeout: { foo: "9007199254740993" } },
    ],
    [
      "copilot-cli",
      "mcp-config.json",
      '{"mcpServers":{"a":{"url":"https://h","type":"http","auth":{"redirectPort":1,"ids":[[9007199254740993]]}}}}',
      { auth: { ids: [["9007199254740993"]] } },
    ],
    [
      "continue",
      "config.yaml",
      "mcpServers:\n  - name: a\n    url: https://h\n    requestOptions: { headers: {}, id: 9007199254740993 }\n",
      { requestOptions: { id: "9007199254740993" } },
    ],
  ])("in an unknown member of a %s field keeps its digits", async (host, file, text, extra) => {
    const { servers } = await parse(text, { host, file: `/folder/${file}` });
    expect(servers[0]?.written.extra).toEqual(extra);
  });

  test("in a YAML list keeps its digits", async () => {
    const lists = "ids: [12345678901234567890, 1, &n 9007199254740993, *n, [*n]]\n    again: *l\n";
    const text = `l: &l [-9007199254740993]\nextensions:\n  a:\n    type: stdio\n    cmd: x\n    ${lists}`;
    const { servers } = await parse(text, { host: "goose", file: "/folder/config.yaml" });
    const large = "9007199254740993";
    expect(servers[0]?.written.extra).toEqual({
      ids: ["12345678901234567890", 1, large, large, [large]],
      again: [`-${large}`],
    });
  });

  test("from code stays a number, even beside a circular object", async () => {
    const foo: { large: number; self?: object } = { large: 2 ** 53 };
    foo.self = foo;
    const { servers } = await loadServers({ servers: { a: { command: "x", foo } as InlineServer } });
    expect(servers[0]?.extra?.foo).toMatchObject({ large: 2 ** 53 });
  });

  test.each([
    ["command = 9007199254740993", "/command"],
    ['command = "x"\nargs = [9007199254740993, "a"]', "/args/0"],
    ["url = 9007199254740993", "/url"],
    ['command = "x"\nenabled_tools = [9007199254740993]', "/enabled_tools/0"],
    ['command = "x"\nstartup_timeout_sec = 9007199254740993', "/startup_timeout_sec"],
  ])("is reported in a field that cannot hold it: %s", async (lines, pointer) => {
    const text = `[mcp_servers.a]\n${lines}\n`;
    const { diagnostics } = await parse(text, { host: "codex", file: "/folder/config.toml" });
    expect(diagnostics).toMatchObject([{ pointer: `/mcp_servers/a${pointer}` }]);
  });
});
