import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { changeServersFile, parseHostFile, type ServerChange } from "../../src/index.ts";
import { useTemporaryFolder } from "../temporary-folder.ts";

const makeFolder = useTemporaryFolder();
let home: string;
beforeEach(async () => {
  home = await makeFolder();
});

const at = () => ({
  home: home,
  cwd: join(home, "project"),
  platform: "linux" as const,
  env: {},
});

function write(file: string, text: string): void {
  const path = join(home, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const change = (host: string, what: ServerChange, inProject = false) =>
  changeServersFile({ ...at(), host, change: what, inProject });

const REMOTE = { url: "https://example.com/mcp", headers: { "X-Team": "a" } };
const LOCAL = { program: ["npx", "-y", "x@1"], env: { A: "1" } };

describe("a server that is added", () => {
  it.each([
    ["jackfield", ".config/jackfield/mcp.json"],
    ["claude-code", ".claude.json"],
    ["cursor", ".cursor/mcp.json"],
    ["vscode", ".config/Code/User/mcp.json"],
    ["codex", ".codex/config.toml"],
    ["gemini", ".gemini/settings.json"],
  ])("is what %s reads in its own file", async (host, file) => {
    const added = await change(host, { kind: "add", name: "remote", server: REMOTE });
    expect(added).toMatchObject({ file: join(home, file), isNew: true, isChanged: true });
    write(file, added.text);
    const both = await change(host, { kind: "add", name: "a b", server: LOCAL });
    const { servers, diagnostics } = await parseHostFile({ host, file: both.file, text: both.text });
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(servers.map(({ definition }) => definition)).toMatchObject([
      { name: "remote", transport: "http", url: REMOTE.url, headers: REMOTE.headers },
      { name: "a b", transport: "stdio", command: "npx", args: ["-y", "x@1"], env: { A: "1" } },
    ]);
  });

  it.each([
    ["jackfield", "env", "${KEY}"],
    ["claude-code", "env", "${KEY}"],
    ["cursor", "env", "${env:KEY}"],
    ["vscode", "env", "${env:KEY}"],
    ["gemini", "env", "$KEY"],
  ])("refers to a variable as %s does", async (host, field, reference) => {
    const server = { program: ["x"], envReferences: ["KEY"] };
    const { entry } = await change(host, { kind: "add", name: "a", server });
    expect(entry?.[field]).toEqual({ KEY: reference });
  });

  it("lists the variable for Codex, and is refused where none can be read", async () => {
    const server = { program: ["x"], envReferences: ["KEY"] };
    const added = { kind: "add", name: "a", server } as const;
    expect((await change("codex", added)).entry).toEqual({ command: "x", env_vars: ["KEY"] });
    await expect(change("claude-desktop", added)).rejects.toThrow("--env NAME=VALUE");
  });

  it("is refused where the host would not read it, and where the name is taken", async () => {
    await expect(change("claude-desktop", { kind: "add", name: "a", server: REMOTE })).rejects.toThrow(
      "Nothing was written. ",
    );
    await expect(change("jackfield", { kind: "add", name: "", server: REMOTE })).rejects.toThrow(
      "name is empty",
    );
    await expect(change("jackfield", { kind: "add", name: "__proto__", server: REMOTE })).rejects.toThrow(
      "by hand",
    );
    write(".cursor/mcp.json", '{"mcpServers":{"a":{"command":"x"}}}');
    const again = { kind: "add", name: "a", server: REMOTE } as const;
    await expect(change("cursor", again)).rejects.toThrow("--force replaces it");
    expect((await change("cursor", { ...again, replaces: true })).entry).toEqual(REMOTE);
  });
});

const JSONC = `{
	// Mine.
	"servers": {
		"a": { "command": "x" }, // first
		/* second */
		"b": { "type": "http", "url": "https://b.example" },
	},
	"inputs": []
}
`;

const TOML = `# Mine.
model = "o"

[mcp_servers.a] # first
command = "x"
enabled = true # on

[mcp_servers.a.env]
TEXT = """
[mcp_servers.b]
"""

# second
[mcp_servers.b]
url = "https://b.example"

[other]
enabled = true
`;

describe("a file with comments", () => {
  it("keeps them, its order and its indentation", async () => {
    write(".config/Code/User/mcp.json", JSONC);
    const added = await change("vscode", { kind: "add", name: "c", server: { program: ["c"] } });
    const last = '"b": { "type": "http", "url": "https://b.example" },\n';
    expect(added.text).toBe(
      JSONC.replace(last, `${last}\t\t"c": {\n\t\t\t"type": "stdio",\n\t\t\t"command": "c"\n\t\t}\n`),
    );
    const removed = await change("vscode", { kind: "remove", name: "a" });
    expect(removed.text).toBe(JSONC.replace('\t\t"a": { "command": "x" }, // first\n', ""));
    write(".config/Code/User/mcp.json", removed.text.replace("},\n\t},", "} // last\n\t},"));
    const both = await change("vscode", { kind: "add", name: "c", server: { program: ["c"] } });
    expect(both.text).toContain('"https://b.example" }, // last\n\t\t"c": {');
    write(".config/Code/User/mcp.json", both.text);
    const first = await change("vscode", { kind: "remove", name: "c" });
    expect(first.text).toContain(
      '/* second */\n\t\t"b": { "type": "http", "url": "https://b.example" } // last\n\t},',
    );
  });

  it.each([
    ["{}", '{\n  "mcpServers": {\n    "a": {\n      "command": "x"\n    }\n  }\n}'],
    [
      '{"mcpServers":{"b":{"command":"y"}}}',
      '{"mcpServers":{"b":{"command":"y"},\n    "a": {\n      "command": "x"\n    }\n  }}',
    ],
    [
      '{ "x": 1 // one\n}',
      '{ "x": 1, // one\n  "mcpServers": {\n    "a": {\n      "command": "x"\n    }\n  }\n}',
    ],
  ])("is added to %j, and taken away again", async (before, after) => {
    write(".cursor/mcp.json", before);
    const added = await change("cursor", { kind: "add", name: "a", server: { program: ["x"] } });
    expect(added.text).toBe(after);
    write(".cursor/mcp.json", added.text);
    const { text } = await change("cursor", { kind: "remove", name: "a" });
    expect(text).not.toContain('"a"');
  });

  it("keeps them in TOML", async () => {
    write(".codex/config.toml", TOML);
    const off = await change("codex", { kind: "disable", name: "a" });
    expect(off.text).toBe(TOML.replace("enabled = true # on\n", "enabled = false\n"));
    write(".codex/config.toml", off.text);
    const on = await change("codex", { kind: "enable", name: "a" });
    expect(on.text).toBe(TOML.replace("enabled = true # on\n", ""));
    const b = await change("codex", { kind: "disable", name: "b" });
    expect(b.text).toContain('[mcp_servers.b]\nenabled = false\nurl = "https://b.example"');
    const gone = await change("codex", { kind: "remove", name: "a" });
    expect(gone.text).toBe(
      '# Mine.\nmodel = "o"\n\n\n# second\n[mcp_servers.b]\nurl = "https://b.example"\n\n[other]\nenabled = false\n'.replace(
        "false",
        "true",
      ),
    );
    const added = await change("codex", { kind: "add", name: "c", server: REMOTE });
    expect(added.text.startsWith(off.text)).toBe(true);
  });

  it("is left alone where it is written in a way that cannot be changed safely", async () => {
    write(".codex/config.toml", 'mcp_servers = { a = { command = "x" } }\n');
    await expect(change("codex", { kind: "remove", name: "a" })).rejects.toThrow("by hand");
    write(".cursor/mcp.json", '{"mcpServers":{"b":{"command":"x"},"b":{"command":"y"}}}');
    await expect(change("cursor", { kind: "remove", name: "b" })).rejects.toThrow("by hand");
    write(".cursor/mcp.json", '{"mcpServers":{"a":{"command":"x"}}\n');
    await expect(change("cursor", { kind: "remove", name: "a" })).rejects.toThrow("mcp.json:2:1");
  });
});

it("a switch is written and taken away again", async () => {
  const file = ".config/jackfield/mcp.json";
  const text = '{\r\n    "mcpServers": {\r\n        "a": { "command": "x" }\r\n    }\r\n}\r\n';
  write(file, text);
  const off = await change("jackfield", { kind: "disable", name: "a" });
  expect(off.entry).toEqual({ command: "x", disabled: true });
  expect(off.text).not.toMatch(/[^\r]\n/);
  write(file, off.text);
  expect((await change("jackfield", { kind: "disable", name: "a" })).isChanged).toBe(false);
  expect((await change("jackfield", { kind: "enable", name: "a" })).entry).toEqual({ command: "x" });
  await expect(change("jackfield", { kind: "enable", name: "b" })).rejects.toMatchObject({
    code: "MCP_SERVER_UNKNOWN",
  });
  write(".cursor/mcp.json", '{"mcpServers":{"a":{"command":"x"}}}');
  await expect(change("cursor", { kind: "disable", name: "a" })).rejects.toThrow("Cursor keeps no switch");
});

it("a project's file is the nearest that exists, else one in the working directory", async () => {
  write("project/.git/HEAD", "");
  const added = { kind: "add", name: "a", server: REMOTE } as const;
  expect((await change("jackfield", added, true)).file).toBe(join(home, "project/.mcp.json"));
  write("project/.mcp.json", "{}");
  const below = { ...at(), cwd: join(home, "project/inner") };
  expect((await changeServersFile({ ...below, change: added, inProject: true })).file).toBe(
    join(home, "project/.mcp.json"),
  );
  await expect(change("claude-desktop", added, true)).rejects.toThrow("no file of a project");
  await expect(change("zed", added)).rejects.toThrow("Servers are written for jackfield, ");
});
