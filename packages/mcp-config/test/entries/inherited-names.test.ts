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

/** The keys under which hosts keep their servers. */
const ROOT_KEYS = [
  "mcpServers",
  "servers",
  "mcp",
  "mcp_servers",
  "context_servers",
  "amp.mcpServers",
  "extensions",
];

test("no host reports a nameless missing field for an empty entry", async () => {
  for (const host of HOST_IDS) {
    const manifest = { name: "m", server: { type: "uv", name: "e", packages: [{}] } };
    const entries = Object.fromEntries(ROOT_KEYS.map((key) => [key, { e: {} }]));
    const text = JSON.stringify({ ...manifest, ...entries });
    const { diagnostics } = await parseHostFile({ host, file: "/home/u/file.json", text });
    const reported = diagnostics.map(({ message }) => message).join("\n");
    expect(reported, host).toMatch(/^Server "[em]" /m);
    expect(reported, host).not.toContain('""');
  }
});
