import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createFileVault, createOAuth } from "@jackfield/mcp-auth";
import { createConnector } from "@jackfield/mcp-transports";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it, vi } from "vitest";
import { runCommandLine } from "../src/command-line.ts";
import { loginDirectory } from "../src/login-directory.ts";
import { openMcp } from "../src/open-mcp.ts";
import type { OpenMcpOptions } from "../src/open-mcp-options.ts";
import { collector, useTemporaryHome } from "./fixture.ts";
import { useGuardedServer } from "./guarded-server.ts";

useLeakCheck();

const WARM_PROCESS = fileURLToPath(new URL("./fixtures/warm-process.mjs", import.meta.url));

const home = useTemporaryHome();
const remote = useGuardedServer();

/** Logs in as the command does. */
async function logIn(now?: () => number): Promise<void> {
  await using oauth = createOAuth({ vault: createFileVault({ directory: loginDirectory() }), now });
  const server = { name: "files", transport: "http", url: remote.url, headers: {}, secrets: [] } as const;
  await oauth.login(server, { authorize: async (url) => void (await fetch(url)) });
}

const options = (more: OpenMcpOptions = {}): OpenMcpOptions => ({
  servers: { files: { url: remote.url } },
  discover: false,
  cache: false,
  retry: { maxRetries: 0 },
  ...more,
});

describe("a stored login", () => {
  it("is refreshed once when its token expires during a session, and the calls succeed", async () => {
    await logIn();
    const mcp = await openMcp(options());
    try {
      remote.authority.office.expireAccessTokens();
      const calls = [1, 2, 3].map(() =>
        mcp.callTool({ server: "files", tool: "echo" }, { text: "still here" }),
      );
      expect(JSON.stringify(await Promise.all(calls))).toContain("still here");
      const grants = remote.authority.requestsTo("/token").map(({ parameters }) => parameters.grant_type);
      expect(grants).toEqual(["authorization_code", "refresh_token"]);
    } finally {
      await mcp.close();
    }
  });

  it("is renewed where its entry says by hand, over the network of the MCP connection", async () => {
    const { authority, guarded } = remote;
    const { issuer } = authority;
    authority.behave({ metadataPath: "/nowhere" });
    guarded.guard({ authorizationServer: authority, behind: remote.behind.url, metadata: false });
    const oauth = {
      issuer,
      authorizationUrl: `${issuer}/authorize`,
      tokenUrl: `${issuer}/token`,
      clientId: "by-hand",
      resource: false,
    } as const;
    await using made = createOAuth({
      vault: createFileVault({ directory: loginDirectory() }),
      settingsOf: () => ({ settings: oauth }),
    });
    const server = { name: "files", transport: "http", url: remote.url, headers: {}, secrets: [] } as const;
    await made.login(server, { authorize: async (url) => void (await fetch(url)) });
    const http = vi.fn(() => ({ proxy: false }));
    const mcp = await openMcp(options({ servers: { files: { url: remote.url, oauth } }, http }));
    try {
      const connections = http.mock.calls.length;
      authority.office.expireAccessTokens();
      await mcp.callTool({ server: "files", tool: "echo" }, { text: "still here" });
      expect(authority.requestsTo("/token").map(({ parameters }) => parameters.grant_type)).toEqual([
        "authorization_code",
        "refresh_token",
      ]);
      expect(http.mock.calls.length).toBeGreaterThan(connections);
    } finally {
      await mcp.close();
    }
  });

  it("of the program's own goes over the network of the MCP connection as well", async () => {
    await using auth = createOAuth({ authorize: async (url) => void (await fetch(url)) });
    const network = vi.spyOn(auth, "useNetwork");
    const http = vi.fn(() => ({ proxy: false }));
    const mcp = await openMcp(options({ auth, http }));
    try {
      expect(network.mock.calls).toEqual([[http]]);
      expect(mcp.servers()[0]?.status).toBe("ready");
      // Once for the connection, and for what its login asked.
      expect(http.mock.calls.length).toBeGreaterThan(2);
    } finally {
      await mcp.close();
    }
  });

  it.each([undefined, null, "", 42, {}])(
    "is not given to a principal %s, which is refused",
    async (principal) => {
      await logIn();
      const mcp = await openMcp(options());
      try {
        const joining = mcp.forPrincipal(principal as string);
        await expect(joining).rejects.toMatchObject({ code: "MCP_CONFIG_INVALID" });
      } finally {
        await mcp.close();
      }
    },
  );

  it("is used with a custom resolver that returns no limits", async () => {
    await logIn();
    const resolve: OpenMcpOptions["resolve"] = async ({ name }) => ({
      name,
      transport: "http",
      url: remote.url,
      headers: {},
      secrets: [],
    });
    const mcp = await openMcp(options({ resolve }));
    try {
      expect(mcp.servers()).toMatchObject([{ status: "ready" }]);
    } finally {
      await mcp.close();
    }
  });

  it("that ends during a session fails the call with the login command for that server", async () => {
    await logIn();
    const file = home.file("servers.json");
    writeFileSync(file, JSON.stringify({ mcpServers: { files: { url: remote.url } } }));
    await using mcp = await openMcp(options({ servers: {}, configFiles: [file], cwd: home.path }));
    remote.authority.office.endLogins();
    await expect(mcp.callTool({ server: "files", tool: "echo" }, { text: "x" })).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      message: expect.stringContaining(`npx jackfield login files --config ${file} --cwd ${home.path}`),
    });
  });

  it("is not used if the entry has its own Authorization header", async () => {
    await logIn();
    const servers = { files: { url: remote.url, headers: { Authorization: "Bearer of-the-user" } } };
    const mcp = await openMcp(options({ servers }));
    await mcp.close();
    const sent = remote.guarded.requests.map(({ headers }) => headers.authorization).filter(Boolean);
    expect(new Set(sent)).toEqual(new Set(["Bearer of-the-user"]));
  });

  it("is not sent for another user of the same runtime", async () => {
    await logIn();
    const mcp = await openMcp(options());
    try {
      const before = remote.guarded.requests.length;
      const other = await mcp.forPrincipal("somebody-else");
      expect(other.report.failed).toMatchObject([{ name: "files", error: { code: "MCP_AUTH_REQUIRED" } }]);
      const theirs = remote.guarded.requests.slice(before);
      expect(theirs.length).toBeGreaterThan(0);
      expect(theirs.map(({ headers }) => headers.authorization)).toEqual(theirs.map(() => undefined));
    } finally {
      await mcp.close();
    }
  });

  it("is not used for a server object that a custom connector has copied", async () => {
    await logIn();
    const before = remote.guarded.requests.length;
    const connect = createConnector();
    const copying = options({ connect: (server, rest) => connect({ ...server }, rest) });
    const mcp = await openMcp(copying);
    await mcp.close();
    expect(mcp.report.failed).toMatchObject([{ error: { code: "MCP_AUTH_REQUIRED" } }]);
    const sent = remote.guarded.requests.slice(before).map(({ headers }) => headers.authorization);
    expect(sent).toEqual(sent.map(() => undefined));
  });

  it("is redacted in an error if the server repeats its token", async () => {
    await logIn();
    const mcp = await openMcp(options());
    try {
      const token = remote.guarded.requests.at(-1)?.headers.authorization?.replace("Bearer ", "") ?? "";
      expect(token).toMatch(/^access-/);
      remote.behind.setScript({
        errorOn: { "tools/call": { code: -32_000, message: `no room for ${token} here` } },
      });
      const call = mcp.callTool({ server: "files", tool: "echo" }, { text: "x" });
      await expect(call).rejects.toMatchObject({
        message: expect.stringContaining("no room for [redacted] here"),
      });
    } finally {
      await mcp.close();
    }
  });
});

describe("closing while a login is being refreshed", () => {
  it("takes no longer than closeTimeoutMs, and the login is stored when it arrives", async () => {
    await logIn(() => Date.now() - 3_590_000);
    const sent = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const { issuer } = remote.authority;
    const endpoint = createServer(async (request, response) => {
      const body = await text(request);
      sent.resolve();
      await answered.promise;
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const tokens = await fetch(`${issuer}/token`, { method: "POST", headers, body });
      response.writeHead(tokens.status, { "content-type": "application/json" }).end(await tokens.text());
    }).listen(0, "127.0.0.1");
    await once(endpoint, "listening");
    const token_endpoint = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/token`;
    remote.authority.behave({ metadata: { token_endpoint } });
    const said: string[] = [];
    const mcp = await openMcp(
      options({ limits: { closeTimeoutMs: 20 }, log: (_, message) => said.push(message) }),
    );
    await sent.promise;
    await mcp.close();
    expect(said).toContainEqual(expect.stringContaining("still being renewed after 20 ms"));
    const vault = createFileVault({ directory: loginDirectory() });
    const before = await vault.forServer(remote.url);
    answered.resolve();
    const stored = await vault.exclusively(
      remote.url,
      () => vault.forServer(remote.url),
      new AbortController().signal,
    );
    expect(stored?.tokens.refresh_token).toMatch(/./);
    expect(stored?.tokens.refresh_token).not.toBe(before?.tokens.refresh_token);
    endpoint.close();
    endpoint.closeAllConnections();
  });
});

describe("mcp-auth", () => {
  /** The modules of mcp-auth that a separate program has loaded when its server is ready. */
  async function loadedFor(url: string): Promise<readonly string[]> {
    const wanted = options({ servers: { files: { url } } });
    const { stdout } = await promisify(execFile)(process.execPath, [WARM_PROCESS, JSON.stringify(wanted)]);
    const { loaded, tools } = JSON.parse(stdout) as { loaded: readonly string[]; tools: readonly unknown[] };
    expect(tools).not.toEqual([]);
    return loaded.filter((module) => module.includes("/mcp-auth/"));
  }

  it("is loaded only if there is a stored login", async () => {
    expect(await loadedFor(remote.behind.url)).toEqual([]);
    await logIn();
    expect(await loadedFor(remote.url)).not.toEqual([]);
  });
});

describe("an entry's OAuth settings", () => {
  it("have their variables expanded in a user's file", async () => {
    vi.stubEnv("CLIENT_OF_MINE", "client-from-environment");
    const file = home.file("mine.json");
    const oauth = { clientId: "${CLIENT_OF_MINE}", scopes: ["a"] };
    writeFileSync(file, JSON.stringify({ mcpServers: { files: { url: remote.url, oauth } } }));
    const stderr = collector();
    const interrupting = new Writable({
      write(chunk, encoding, done) {
        stderr.write(chunk, encoding, done);
        process.emit("SIGINT");
      },
    });
    const argv = ["login", "files", "--no-discover", "--no-browser", "--config", file];
    expect(await runCommandLine(argv, { stdout: collector(), stderr: interrupting })).toBe(130);
    expect(stderr.text()).toContain("client_id=client-from-environment");
  });
});
