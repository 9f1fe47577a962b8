import { describe, expect, test } from "vitest";
import { HOST_IDS, type ParseHostFileOptions } from "../../src/index.ts";
import { parse } from "../discovery/parsing.ts";

/** The path of a file in the host's own format. */
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

const optionsFor = (host: string) => ({ host, file: fileOf(host) }) satisfies Partial<ParseHostFileOptions>;

/** The example with its placeholders filled in, as a reader of the message would do. */
function filledIn(example: string): string {
  return example
    .replace(/((?:url|Url|uri)"?(?::| =) )"…"/g, '$1"https://host.example/mcp"')
    .replaceAll("…", "x");
}

/** The examples that a message suggests; for TOML, a table header and the line below it. */
function examplesIn(message: string): readonly string[] {
  const [, text = ""] = /; write (.*)\.$/.exec(message) ?? [];
  return text.replace(", and below it ", "\n").split(" or ").map(filledIn);
}

const HOSTS = HOST_IDS.map((host) => ({ host }));

describe("the example in a message", () => {
  test.each(HOSTS)("for a file without servers parses to one server: $host", async ({ host }) => {
    const empty = await parse(host === "codex" ? "a = 1\n" : { a: 1 }, optionsFor(host));
    const message = empty.diagnostics.find(({ code }) => code === "no-servers")?.message ?? "";
    const [example = ""] = examplesIn(message);
    const { servers, diagnostics } = await parse(example, optionsFor(host));
    expect([example, servers.length, diagnostics]).toEqual([example, 1, []]);
  });

  const withEntries = HOSTS.filter(({ host }) => host !== "registry" && host !== "mcpb");

  test.each(withEntries)("for an invalid entry is a valid entry: $host", async ({ host }) => {
    const key = KEYS[host] ?? "mcpServers";
    const inFile = (entry: string) => {
      if (host === "codex") return `${key} = { s = ${entry} }\n`;
      if (host !== "continue") return `{ ${JSON.stringify(key)}: { "s": ${entry} } }`;
      return `{ "mcpServers": [${entry.replace("{ ", '{ "name": "s", ')}] }`;
    };
    const { diagnostics } = await parse(inFile('"none"'), optionsFor(host));
    const examples = examplesIn(diagnostics[0]?.message ?? "");
    for (const example of examples) {
      const { servers, diagnostics: remaining } = await parse(inFile(example), optionsFor(host));
      expect([example, servers.length, remaining]).toEqual([example, 1, []]);
    }
    expect(examples).toHaveLength(host === "claude-desktop" ? 1 : 2);
  });

  test("for a VS Code file with customizations nests the servers under them", async () => {
    const { diagnostics } = await parse({ customizations: {} }, { host: "vscode" });
    expect(diagnostics[0]?.message).toContain(
      '{ "customizations": { "vscode": { "mcp": { "servers": { "name": { "command": "…" } } } } } }',
    );
  });
});

describe("a command written as a list", () => {
  test.each(["opencode", "mcporter"])("is reported if it is empty: %s", async (host) => {
    const entry = host === "opencode" ? { type: "local", command: [] } : { command: [] };
    const { told, diagnostics } = await parse(
      { [KEYS[host] ?? "mcpServers"]: { s: entry } },
      optionsFor(host),
    );
    expect(told).toEqual(["ServerConfigError: s"]);
    expect(diagnostics[0]?.message).toContain('"command" is empty');
    expect(diagnostics[0]?.pointer).toMatch(/\/s\/command$/);
  });

  test.each([
    [["npx", 5], '"1" in "command" must be a string, not a number', "/command/1"],
    [[5], '"0" in "command" must be a string, not a number', "/command/0"],
    [[""], '"0" in "command" is empty', "/command/0"],
  ])("is reported with its index in the file: %j", async (command, text, pointer) => {
    for (const host of ["opencode", "mcporter"]) {
      const { diagnostics } = await parse(
        { [KEYS[host] ?? "mcpServers"]: { s: { command } } },
        optionsFor(host),
      );
      expect(diagnostics[0]?.message).toContain(text);
      expect(diagnostics[0]?.pointer?.endsWith(pointer)).toBe(true);
    }
  });
});

describe("an error names a field as the file does", () => {
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

  test("mcpb, with nested fields", async () => {
    const server = { mcp_config: { command: "x", args: [5] } };
    const { diagnostics } = await parse({ name: "s", server }, optionsFor("mcpb"));
    expect(diagnostics[0]?.message).toContain('"mcp_config.args[0]" must be a string, not a number');
  });
});
