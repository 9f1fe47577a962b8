import { describe, expect, test } from "vitest";
import { HOST_IDS, type ParseHostFileOptions } from "../../src/index.ts";
import { parse } from "../discovery/parsing.ts";

/** A file of the host that is read in its own format, and the key under which its servers stand. */
function fileOf(host: string): string {
  if (host === "codex") return "/folder/config.toml";
  return host === "goose" || host === "continue" ? "/folder/config.yaml" : "/folder/own.json";
}

const KEYS: { readonly [host: string]: string } = {
  vscode: "servers",
  zed: "context_servers",
  codex: "mcp_servers",
  opencode: "mcp",
  crush: "mcp",
  goose: "extensions",
  amp: "amp.mcpServers",
};

const of = (host: string) => ({ host, file: fileOf(host) }) satisfies Partial<ParseHostFileOptions>;

/** What somebody fills in who follows a message. */
function filledIn(example: string): string {
  return example
    .replace(/((?:url|Url|uri)"?(?::| =) )"…"/g, '$1"https://host.example/mcp"')
    .replaceAll("…", "x");
}

/** The texts in braces or brackets that a message asks for, and where the file is TOML the table and its line. */
function examplesIn(message: string): readonly string[] {
  const [, text = ""] = /; write (.*)\.$/.exec(message) ?? [];
  return text.replace(", and below it ", "\n").split(" or ").map(filledIn);
}

const HOSTS = HOST_IDS.map((host) => ({ host }));

describe("what a message says to write", () => {
  test.each(HOSTS)("into a file without servers gives one: $host", async ({ host }) => {
    const empty = await parse(host === "codex" ? "a = 1\n" : { a: 1 }, of(host));
    const message = empty.diagnostics.find(({ code }) => code === "no-servers")?.message ?? "";
    const [example = ""] = examplesIn(message);
    const { servers, diagnostics } = await parse(example, of(host));
    expect([example, servers.length, diagnostics]).toEqual([example, 1, []]);
  });

  const withEntries = HOSTS.filter(({ host }) => host !== "registry" && host !== "mcpb");

  test.each(withEntries)("in the place of an entry that is none is one: $host", async ({ host }) => {
    const key = KEYS[host] ?? "mcpServers";
    const inFile = (entry: string) => {
      if (host === "codex") return `${key} = { s = ${entry} }\n`;
      if (host !== "continue") return `{ ${JSON.stringify(key)}: { "s": ${entry} } }`;
      return `{ "mcpServers": [${entry.replace("{ ", '{ "name": "s", ')}] }`;
    };
    const { diagnostics } = await parse(inFile('"none"'), of(host));
    const examples = examplesIn(diagnostics[0]?.message ?? "");
    for (const example of examples) {
      const { servers, diagnostics: said } = await parse(inFile(example), of(host));
      expect([example, servers.length, said]).toEqual([example, 1, []]);
    }
    expect(examples).toHaveLength(host === "claude-desktop" ? 1 : 2);
  });

  test("into the settings of VS Code stands where those have it", async () => {
    const { diagnostics } = await parse({ customizations: {} }, { host: "vscode" });
    expect(diagnostics[0]?.message).toContain(
      '{ "customizations": { "vscode": { "mcp": { "servers": { "name": { "command": "…" } } } } } }',
    );
  });
});

describe("a command in a list", () => {
  test.each(["opencode", "mcporter"])("is told to be empty: %s", async (host) => {
    const entry = host === "opencode" ? { type: "local", command: [] } : { command: [] };
    const { told, diagnostics } = await parse({ [KEYS[host] ?? "mcpServers"]: { s: entry } }, of(host));
    expect(told).toEqual(["ServerConfigError: s"]);
    expect(diagnostics[0]?.message).toContain('"command" is empty');
    expect(diagnostics[0]?.pointer).toMatch(/\/s\/command$/);
  });

  test.each([
    [["npx", 5], '"1" in "command" must be a string, not a number', "/command/1"],
    [[5], '"0" in "command" must be a string, not a number', "/command/0"],
    [[""], '"0" in "command" is empty', "/command/0"],
  ])("is called what the file calls it: %j", async (command, text, pointer) => {
    for (const host of ["opencode", "mcporter"]) {
      const { diagnostics } = await parse({ [KEYS[host] ?? "mcpServers"]: { s: { command } } }, of(host));
      expect(diagnostics[0]?.message).toContain(text);
      expect(diagnostics[0]?.pointer?.endsWith(pointer)).toBe(true);
    }
  });
});

describe("a fault calls a field as the file has it", () => {
  test.each<[string, object, string]>([
    ["cline", { transport: { command: 5 } }, '"command" in "transport" must be a string'],
    ["cline", { transportType: "ftp", url: "https://h" }, '"transportType" is "ftp", but must be one of'],
    ["zed", { command: { path: 5 } }, '"path" in "command" must be a string'],
    [
      "continue",
      { url: "https://h", requestOptions: { headers: 5 } },
      '"headers" in "requestOptions" must be',
    ],
    ["windsurf", { type: "sse", command: "x" }, 'goes with "serverUrl", but the entry has "command"'],
    [
      "gemini",
      { type: "sse", command: "x" },
      'goes with "url", but the entry has "command"; correct or remove it',
    ],
    ["opencode", { command: ["x"], timeout: { startup: "x" } }, '"startup" in "timeout" must be'],
  ])("%s: %j", async (host, entry, text) => {
    const file = "/folder/own.json";
    const { diagnostics } = await parse({ [KEYS[host] ?? "mcpServers"]: { s: entry } }, { host, file });
    expect(diagnostics.map(({ message }) => message).join("\n")).toContain(text);
  });

  test("mcpb, whose fields stand deep", async () => {
    const server = { mcp_config: { command: "x", args: [5] } };
    const { diagnostics } = await parse({ name: "s", server }, of("mcpb"));
    expect(diagnostics[0]?.message).toContain('"mcp_config.args[0]" must be a string, not a number');
  });
});
