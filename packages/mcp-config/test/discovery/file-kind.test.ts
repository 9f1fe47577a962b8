import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { kindOfFile } from "../../src/find/single-host-file.ts";
import { dialectOf } from "../../src/hosts/host-dialects.ts";
import { parseHostFile } from "../../src/index.ts";

const HOME = "/home/u";

describe.skipIf(process.platform === "win32")("the scope of a file follows from its path", () => {
  test.each<[string, string, string | undefined]>([
    ["cursor", "/home/u/.cursor/mcp.json", "user"],
    ["cursor", "/repo/.cursor/mcp.json", "project"],
    ["cursor", "/home/u/code/.cursor/mcp.json", "project"],
    ["cursor", "/tmp/mcp.json", undefined],
    ["warp", "/home/u/.warp/.mcp.json", "user"],
    ["warp", "/repo/.warp/.mcp.json", "project"],
    ["kiro", "/home/u/.kiro/settings/mcp.json", "user"],
    ["kiro", "/repo/.kiro/settings/mcp.json", "project"],
    ["junie", "/repo/.junie/mcp/mcp.json", "project"],
    ["crush", "/home/u/.config/crush/crush.json", "user"],
    ["crush", "/elsewhere/crush/crush.json", "user"],
    ["crush", "/repo/crush.json", "project"],
    ["codex", "/home/u/.codex/config.toml", "user"],
    ["codex", "/repo/.codex/config.toml", "project"],
    ["continue", "/home/u/.continue/mcpServers/a.yaml", "user"],
    ["continue", "/repo/.continue/mcpServers/a.json", "project"],
    ["continue", "/repo/.continue/mcpServers/deep/a.json", undefined],
    ["gemini", "/home/u/.gemini/extensions/e/gemini-extension.json", "extension"],
    ["gemini", "/src/my-extension/gemini-extension.json", "extension"],
    ["gemini", "/tmp/settings.json", undefined],
    ["claude-code", "/repo/.mcp.json", "project"],
    ["claude-code", "/home/u/.claude.json", "user"],
  ])("%s: %s", (host, file, scope) => {
    const env = host === "crush" && file.startsWith("/elsewhere") ? { XDG_CONFIG_HOME: "/elsewhere" } : {};
    const files = dialectOf(host)?.files ?? expect.fail("no such host");
    expect(kindOfFile(file, files, { env, home: HOME })?.scope).toBe(scope);
  });
});

describe("a file that is parsed on its own", () => {
  const entry = { command: "x", env: { NODE_OPTIONS: "--max-old-space-size=99" } };
  const text = JSON.stringify({ mcpServers: { s: entry } });

  test("may set NODE_OPTIONS in the user's scope, but not in a project's", async () => {
    const own = await parseHostFile({ host: "cursor", file: join(homedir(), ".cursor/mcp.json"), text });
    expect(own.servers[0]?.definition.definedIn.scope).toBe("user");
    expect(own.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    const brought = await parseHostFile({ host: "kiro", file: "/repo/.kiro/settings/mcp.json", text });
    expect(brought.servers).toEqual([]);
    expect(brought.diagnostics).toEqual([
      expect.objectContaining({ code: "ServerConfigError", server: "s" }),
    ]);
  });

  test.each(["/src/my-extension", "/src/.my-extension"])("belongs to the extension in %s", async (folder) => {
    const manifest = JSON.stringify({ mcpServers: { s: { command: "x", trust: true } } });
    const file = `${folder}/gemini-extension.json`;
    const { servers, diagnostics } = await parseHostFile({ host: "gemini", file, text: manifest });
    expect(servers[0]?.definition.definedIn).toMatchObject({ scope: "extension", root: folder });
    expect(diagnostics).toEqual([expect.objectContaining({ code: "self-approval" })]);
  });

  test.each([
    ["kiro", "mcp.json", text],
    ["jackfield", "mcp.json", text],
    ["goose", "config.yaml", "extensions: {s: {type: stdio, cmd: x}}\n"],
    ["codex", "config.toml", '[mcp_servers.s]\ncommand = "x"\n'],
  ])("may begin with a byte order mark when given as text (%s)", async (host, name, content) => {
    const file = `/folder/${name}`;
    const { servers, diagnostics } = await parseHostFile({ host, file, text: `\ufeff${content}` });
    expect([servers.map((server) => server.name), diagnostics]).toEqual([["s"], []]);
    const plain = await parseHostFile({ host, file, text: content });
    expect(servers[0]?.definition.definedIn).toEqual(plain.servers[0]?.definition.definedIn);
  });

  test("gets a no-servers warning if its host reads no servers from it, and the servers in it are named", async () => {
    const { servers, diagnostics } = await parseHostFile({
      host: "claude-code",
      file: "/repo/.claude/settings.json",
      text,
    });
    expect(servers).toEqual([]);
    expect(diagnostics).toMatchObject([
      { code: "no-servers", severity: "warning" },
      { code: "wrong-root-key", message: expect.stringContaining('so "s" is lost') },
    ]);
  });
});
