import { randomBytes } from "node:crypto";
import { createOAuth, keyvTokenVault } from "@jackfield/mcp-auth";
import { isMcpError } from "@jackfield/mcp-core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openMcp } from "../src/index.ts";
import { useGuardedServer } from "./guarded-server.ts";

const SESSION = { session: "cookie of ann" };

/** Machines of one web application, which share a vault. */
function openFleet(url: string) {
  const store = new Map<string, unknown>();
  const key = randomBytes(32);
  return async () => {
    const auth = createOAuth({
      vault: keyvTokenVault(store, { key }),
      redirectUri: "https://app.example/back",
    });
    const mcp = await openMcp({ discover: false, cache: false, servers: { files: { url } }, auth });
    onTestFinished(async () => {
      await mcp.close();
      await auth.close();
    });
    return { mcp, auth };
  };
}

/** Where the browser comes back to. */
async function agree(url: string): Promise<string> {
  return (await fetch(url, { redirect: "manual" })).headers.get("location") ?? "";
}

describe("a user of a web application", () => {
  const server = useGuardedServer();

  it("logs in with a browser, and what was open for him goes on, on the machine that finished and on others", async () => {
    const open = openFleet(server.url);
    const [one, two] = [await open(), await open()];
    const [ann, elsewhere] = [await one.mcp.forPrincipal("ann"), await two.mcp.forPrincipal("ann")];
    const needed = { server: "files", principal: "ann", scopes: [] };
    expect(ann.report.failed).toMatchObject([{ error: { code: "MCP_AUTH_REQUIRED", login: needed } }]);
    expect(ann.servers()).toMatchObject([{ status: "failed", error: { login: needed } }]);
    const refused = await ann
      .callTool({ server: "files", tool: "echo" }, { text: "a" })
      .catch((error) => error);
    expect(isMcpError(refused, "MCP_AUTH_REQUIRED") && refused.login).toEqual(needed);

    const { url } = await two.mcp.beginLogin("ann", "files", SESSION);
    const finished = await one.mcp.finishLogin(await agree(url), SESSION);
    expect(finished).toMatchObject({ principal: "ann", server: "files" });
    await vi.waitFor(() => expect(ann.servers()).toMatchObject([{ status: "ready" }]));
    const echo = (mcp: typeof ann) => mcp.callTool({ server: "files", tool: "echo" }, { text: "a" });
    await expect(echo(ann)).resolves.toBeDefined();
    // The other machine heard of nothing; its next call finds the login.
    await vi.waitFor(() => expect(echo(elsewhere)).resolves.toBeDefined());

    const bob = await one.mcp.forPrincipal("bob");
    expect(bob.servers()).toMatchObject([{ status: "failed", error: { login: { principal: "bob" } } }]);
  });

  it("has a token renewed without being opened again", async () => {
    const open = openFleet(server.url);
    const { mcp } = await open();
    const { url } = await mcp.beginLogin("ann", "files", SESSION);
    await mcp.finishLogin(await agree(url), SESSION);
    const ann = await mcp.forPrincipal("ann");
    for (let time = 0; time < 3; time += 1) {
      server.authority.office.expireAccessTokens();
      await expect(ann.callTool({ server: "files", tool: "echo" }, { text: "a" })).resolves.toBeDefined();
    }
  });

  it("may have credentials of his own", async () => {
    const { mcp } = await openFleet(server.url)();
    const asked: unknown[] = [];
    const headers = async (_: unknown, { principal }: { principal?: string | undefined }) => {
      asked.push(principal);
      return {};
    };
    const auth = { headers, onChallenge: async () => "fail" as const };
    const ann = await mcp.forPrincipal("ann", { auth });
    expect(ann.servers()).toMatchObject([{ status: "failed" }]);
    expect(new Set(asked)).toEqual(new Set(["ann"]));
  });

  it("logs in to servers that exist only, and with an auth that can", async () => {
    const { mcp } = await openFleet(server.url)();
    await expect(mcp.beginLogin("ann", "nothing", SESSION)).rejects.toMatchObject({
      code: "MCP_SERVER_UNKNOWN",
    });
    await using plain = await openMcp({ discover: false, cache: false, servers: {} });
    await expect(plain.beginLogin("ann", "files", SESSION)).rejects.toThrow("createOAuth");
    await expect(plain.finishLogin("https://app.example/back?code=a&state=b", SESSION)).rejects.toThrow(
      "createOAuth",
    );
  });
});
