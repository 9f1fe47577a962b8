import type {
  CatalogEntry,
  ResolvedRemoteServer,
  ResolvedStdioServer,
  ServerDefinition,
  ToolDefinition,
} from "@jackfield/mcp-core";

/** When the samples were listed, unless a test says otherwise. */
export const LISTED_AT = Date.now() - 60_000;

/** A secret that no store may contain. */
export const SECRET = "sk-planted-secret-0123456789";

/** A remote server whose token is secret. */
export const HTTP: ResolvedRemoteServer = {
  name: "github",
  transport: "http",
  url: "https://mcp.example/mcp",
  headers: { Authorization: SECRET },
  secrets: [SECRET],
};

/** A child process whose key is secret. */
export const STDIO: ResolvedStdioServer = {
  name: "files",
  transport: "stdio",
  command: "files-server",
  args: ["--root", "/data"],
  env: { API_KEY: SECRET },
  cwd: "/data",
  secrets: [SECRET],
};

const EXPLICIT = { definedIn: { scope: "explicit" } } as const;

/** The entry of the remote server: its token comes from a variable. */
export const HTTP_ENTRY: ServerDefinition = {
  ...EXPLICIT,
  name: "github",
  transport: "http",
  url: HTTP.url,
  headers: { Authorization: "${TOKEN}" },
};

/** The entry of the child process: its key comes from a variable. */
export const STDIO_ENTRY: ServerDefinition = {
  ...EXPLICIT,
  name: "files",
  transport: "stdio",
  command: STDIO.command,
  env: { API_KEY: "${KEY}" },
};

/** The same server with another secret. */
export function withSecret(
  server: ResolvedRemoteServer | ResolvedStdioServer,
  secret: string,
): ResolvedRemoteServer | ResolvedStdioServer {
  const secrets = [secret];
  return server.transport === "stdio"
    ? { ...server, env: { API_KEY: secret }, secrets }
    : { ...server, headers: { Authorization: secret }, secrets };
}

/** The remote server with these headers, in this order. */
export function withHeaders(...names: readonly string[]): ResolvedRemoteServer {
  return { ...HTTP, headers: Object.fromEntries(names.map((name) => [name, `value-of-${name}`])) };
}

/** A minimal tool. */
export function tool(name: string): ToolDefinition {
  return { name, inputSchema: { type: "object" } };
}

/** An entry with every field, and with values in its tools that a careless store would lose. */
export function fullEntry() {
  const odd = JSON.parse(`{
    "name": "odd", "zeta": 1, "alpha": [null, 1.5, "\\ud83d\\ude00 \\u0000 \\u2028"],
    "inputSchema": { "type": "object", "properties": { "__proto__": { "type": "string" }, "constructor": true } },
    "_meta": { "__proto__": { "polluted": true }, "vendor/key": {} }
  }`) as ToolDefinition;
  return {
    tools: [odd, tool("plain")],
    resources: [{ uri: "file:///a", name: "a", size: 0 }],
    resourceTemplates: [{ uriTemplate: "file:///{path}", name: "any" }],
    prompts: [{ name: "greet", arguments: [{ name: "who", required: true }] }],
    instructions: "Be kind.",
    serverInfo: { name: "server", version: "1.2.3" },
    capabilities: { tools: { listChanged: true }, "vendor/extra": {} },
    prior: { era: "modern", at: LISTED_AT, discover: { supportedVersions: ["2026-07-28"] } },
    ttlMs: 5000,
    cacheScope: "private",
    lastOutcome: { ok: true, at: LISTED_AT, tookMs: 12 },
    listedAt: LISTED_AT,
  } satisfies Partial<CatalogEntry>;
}
