import { writeFileSync } from "node:fs";
import { createFileVault, createOAuth } from "@jackfield/mcp-auth";
import {
  type AuthorizationServer,
  type HttpFaultServer,
  type ProtectedServer,
  startAuthorizationServer,
  startHttpFaultServer,
  startProtectedServer,
  useLeakCheck,
} from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loginDirectory } from "../src/login-directory.ts";
import { openMcp } from "../src/open-mcp.ts";
import type { OpenMcpOptions } from "../src/open-mcp-options.ts";
import { commandLine, useTemporaryHome } from "./fixture.ts";

useLeakCheck();

const home = useTemporaryHome();
let authority: AuthorizationServer;
let behind: HttpFaultServer;
let guarded: ProtectedServer;
beforeEach(async () => {
  [authority, behind] = await Promise.all([startAuthorizationServer(), startHttpFaultServer()]);
  guarded = await startProtectedServer({ authorizationServer: authority, behind: behind.url });
});
afterEach(async () => {
  await Promise.all([guarded.close(), behind.close(), authority.close()]);
});

/** Logs in as the command does. */
async function logIn(): Promise<void> {
  await using oauth = createOAuth({ vault: createFileVault({ directory: loginDirectory() }) });
  const server = { name: "files", transport: "http", url: guarded.url, headers: {}, secrets: [] } as const;
  await oauth.login(server, { authorize: async (url) => void (await fetch(url)) });
}

const options = (more: OpenMcpOptions = {}): OpenMcpOptions => ({
  servers: { files: { url: guarded.url } },
  discover: false,
  cache: false,
  retry: { maxRetries: 0 },
  ...more,
});

describe("a stored login", () => {
  it("is renewed in the middle of a session when its token is refused, and the call succeeds", async () => {
    await logIn();
    const mcp = await openMcp(options());
    try {
      authority.office.expireAccessTokens();
      const calls = [1, 2, 3].map(() =>
        mcp.callTool({ server: "files", tool: "echo" }, { text: "still here" }),
      );
      expect(JSON.stringify(await Promise.all(calls))).toContain("still here");
      const grants = authority.requestsTo("/token").map(({ parameters }) => parameters.grant_type);
      expect(grants).toEqual(["authorization_code", "refresh_token"]);
    } finally {
      await mcp.close();
    }
  });

  it("is not used where the entry has an Authorization header of its own", async () => {
    await logIn();
    const servers = { files: { url: guarded.url, headers: { Authorization: "Bearer of-the-user" } } };
    const mcp = await openMcp(options({ servers }));
    await mcp.close();
    const sent = guarded.requests.map(({ headers }) => headers.authorization).filter(Boolean);
    expect(new Set(sent)).toEqual(new Set(["Bearer of-the-user"]));
  });

  it("is its owner's: another user of the same runtime gets nothing of it", async () => {
    await logIn();
    const mcp = await openMcp(options());
    try {
      const before = guarded.requests.length;
      const other = await mcp.forPrincipal("somebody-else");
      expect(other.report.failed).toMatchObject([{ name: "files", error: { code: "MCP_AUTH_REQUIRED" } }]);
      const theirs = guarded.requests.slice(before);
      expect(theirs.length).toBeGreaterThan(0);
      expect(theirs.map(({ headers }) => headers.authorization)).toEqual(theirs.map(() => undefined));
    } finally {
      await mcp.close();
    }
  });

  it("is not shown: a token that a server repeats is hidden in what is thrown", async () => {
    await logIn();
    const mcp = await openMcp(options());
    try {
      const token = guarded.requests.at(-1)?.headers.authorization?.replace("Bearer ", "") ?? "";
      expect(token).toMatch(/^access-/);
      behind.setScript({
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

describe("what an entry says of logins", () => {
  it("has its references filled in as its headers have, in a file of the user's", async () => {
    vi.stubEnv("CLIENT_OF_MINE", "client-from-environment");
    const file = home.file("mine.json");
    const oauth = { clientId: "${CLIENT_OF_MINE}", scopes: ["a"] };
    writeFileSync(file, JSON.stringify({ mcpServers: { files: { url: guarded.url, oauth } } }));
    const login = commandLine("login", "files", "--no-discover", "--config", file);
    vi.stubEnv("PATH", home.path); // No browser is there, so nobody comes.
    await vi.waitFor(() => expect(guarded.requests.length).toBeGreaterThan(0));
    process.emit("SIGINT");
    expect((await login).stderr).toContain("client_id=client-from-environment");
  });
});
