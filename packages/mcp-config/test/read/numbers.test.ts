import { expect, test } from "vitest";
import { parse } from "../discovery/parsing.ts";

/** The variables of the first server, and what is told of them. */
async function envOf(host: string, text: string, file = "/folder/file") {
  const { servers, diagnostics } = await parse(text, { host, file });
  const told = diagnostics.map(({ code, pointer }) => [code, pointer?.split("/").at(-1)]);
  return [servers[0]?.written.env, told];
}

test.each([
  ["claude-code", '{"mcpServers":{"a":{"command":"x","env":{"A":8080,"B":1.5,"C":9007199254740993}}}}'],
  ["vscode", '{"servers":{"a":{"command":"x","env":{ /* c */ "A":8080,"B":1.5,"C":9007199254740993}}}}'],
  ["codex", '[mcp_servers.a]\ncommand = "x"\nenv = { A = 8_080, B = 1.5, C = 9007199254740993 }\n'],
])("a number in env is its text, and one that loses digits is left out loudly: %s", async (host, text) => {
  const file = host === "codex" ? "/folder/config.toml" : undefined;
  expect(await envOf(host, text, file)).toEqual([{ A: "8080", B: "1.5" }, [["invalid-field", "C"]]]);
});

test("an integer in YAML keeps the digits that a number would drop", async () => {
  const variables = "{ A: 9007199254740993, B: 007, C: 8080, D: 0o17, E: +5, F: *n, <<: *m }";
  const anchors = "x: &n 10000000000000000\ny: &m { G: 08, C: 1 }\n";
  const text = `${anchors}mcpServers:\n  - name: a\n    command: x\n    env: ${variables}\n`;
  const digits = { A: "9007199254740993", B: "007", E: "+5", F: "10000000000000000", G: "08" };
  expect(await envOf("continue", text)).toEqual([{ ...digits, C: "8080", D: "15" }, []]);
});

test.each([
  ["command = 9007199254740993", "/command"],
  ['command = "x"\nargs = [9007199254740993, "a"]', "/args/0"],
  ["url = 9007199254740993", "/url"],
  ['command = "x"\nenabled_tools = [9007199254740993]', "/enabled_tools/0"],
  ['command = "x"\nstartup_timeout_sec = 9007199254740993', "/startup_timeout_sec"],
])("a large integer is reported in a field that cannot hold it: %s", async (lines, pointer) => {
  const text = `[mcp_servers.a]\n${lines}\n`;
  const { diagnostics } = await parse(text, { host: "codex", file: "/folder/config.toml" });
  expect(diagnostics).toMatchObject([{ pointer: `/mcp_servers/a${pointer}` }]);
});
