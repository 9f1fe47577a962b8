import { expect, test } from "vitest";
import { HOST_IDS, parseHostFile } from "../../src/index.ts";

/** Names of members that every object inherits. */
const INHERITED = ["constructor", "toString", "hasOwnProperty", "valueOf"];
const extra = Object.fromEntries(INHERITED.map((name) => [name, "x"]));

test.each(["claude-code", "cline", "gemini", "cursor", "roo", "zed", "vscode"])(
  "%s: fields and servers named like inherited members are read as usual",
  async (host) => {
    const entry = { command: "x", ...extra };
    const key = { zed: "context_servers", vscode: "servers" }[host] ?? "mcpServers";
    const text = JSON.stringify({ [key]: { a: entry, constructor: { command: "y" } } });
    const { servers, diagnostics } = await parseHostFile({ host, file: "/home/u/settings.json", text });
    expect(servers.map(({ name }) => name)).toEqual(["a", "constructor"]);
    expect(servers[0]?.written.extra).toMatchObject(extra);
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  },
);

test.each(["claude-code", "zed"])(
  "%s: OAuth settings named like inherited members are kept",
  async (host) => {
    const oauth = host === "zed" ? { client_id: "c", ...extra } : { clientId: "c", ...extra };
    const key = host === "zed" ? "context_servers" : "mcpServers";
    const entry = { type: "http", url: "https://host.example/", oauth };
    const text = JSON.stringify({ [key]: { a: entry } });
    const { servers } = await parseHostFile({ host, file: "/home/u/settings.json", text });
    expect(servers[0]?.written.oauth).toEqual({ clientId: "c", ...extra });
  },
);

test("no host reports a nameless missing field for an empty entry", async () => {
  for (const host of HOST_IDS) {
    const manifest = { name: "m", server: { type: "uv" } };
    const entries = { e: {} };
    const text = JSON.stringify({ ...manifest, mcpServers: entries, servers: entries, mcp: entries });
    const { diagnostics } = await parseHostFile({ host, file: "/home/u/file.json", text });
    for (const { message } of diagnostics) expect(message).not.toContain('""');
  }
});
