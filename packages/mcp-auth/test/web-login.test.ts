import { randomBytes } from "node:crypto";
import {
  type AuthorizationBehavior,
  startAuthorizationServer,
  startProtectedServer,
  useLeakCheck,
} from "@jackfield/test-kit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createOAuth, keyvTokenVault } from "../src/index.ts";
import { reach, remoteServer } from "./request.ts";

useLeakCheck();
afterEach(() => void vi.restoreAllMocks());

const SESSION = "session of ann's browser";

/** A web application on two machines, and what it reaches. */
async function openApp(behavior: AuthorizationBehavior = {}) {
  const authority = await startAuthorizationServer(behavior);
  const guarded = await startProtectedServer({ authorizationServer: authority });
  const store = new Map<string, unknown>();
  const key = randomBytes(32);
  const machine = () =>
    createOAuth({ vault: keyvTokenVault(store, { key }), redirectUri: "https://app.example/mcp/callback" });
  const [one, two] = [machine(), machine()];
  /** Where the authorization server sends the browser of a user who agrees. */
  const browse = async (url: string) => {
    const response = await fetch(url, { redirect: "manual" });
    return response.headers.get("location") ?? "";
  };
  const server = remoteServer(guarded.url);
  return {
    ...{ authority, guarded, store, one, two, browse, server },
    async [Symbol.asyncDispose]() {
      await Promise.all([one, two, guarded, authority].map((thing) => thing.close()));
    },
  };
}

describe("a login in the browser", () => {
  it("begins on one machine, ends on another, and is that user's on both", async () => {
    await using app = await openApp();
    const { one, two, server, browse } = app;
    const error = await reach(one, server, "ann").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      login: { server: "files", principal: "ann", scopes: [] },
    });
    const { url, lifetimeMs } = await one.beginLogin("ann", server, { session: SESSION });
    expect(lifetimeMs).toBe(600_000);
    const back = await browse(url);
    expect(back).toMatch(/^https:\/\/app\.example\/mcp\/callback\?/);
    const { pathname, search } = new URL(back);
    const finished = await two.finishLogin({ url: `${pathname}${search}` }, { session: SESSION });
    expect(finished).toMatchObject({
      principal: "ann",
      server: "files",
      serverUrl: server.url,
      isRefreshable: true,
    });
    expect(await reach(two, server, "ann")).toBe(200);
    expect(await reach(one, server, "ann")).toBe(200);
    expect(await one.headers(server, { principal: "bob" })).toEqual({});
    expect(await one.headers(server)).toEqual({});
  });

  it("registers one client for all users", async () => {
    await using app = await openApp();
    for (const [user, machine] of [
      ["ann", app.one],
      ["bob", app.two],
      ["cem", app.one],
    ] as const) {
      const { url } = await machine.beginLogin(user, app.server, { session: user });
      await machine.finishLogin(await app.browse(url), { session: user });
      expect(await reach(machine, app.server, user)).toBe(200);
    }
    expect(app.authority.requestsTo("/register")).toHaveLength(1);
    expect(app.authority.requestsTo("/register")[0]?.body).toMatchObject({ application_type: "web" });
  });

  it("registers another client once the authorization server has forgotten it", async () => {
    await using app = await openApp({
      refuses: (_request, isKnownClient) => (isKnownClient ? undefined : "unauthorized_client"),
    });
    const attempt = async () => {
      const { url } = await app.one.beginLogin("ann", app.server, { session: SESSION });
      return app.two.finishLogin(await app.browse(url), { session: SESSION });
    };
    await attempt();
    app.authority.office.forgetClients();
    await expect(attempt()).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    await expect(attempt()).resolves.toMatchObject({ principal: "ann" });
  });

  it("counts once", async () => {
    await using app = await openApp();
    const { url } = await app.one.beginLogin("ann", app.server, { session: SESSION });
    const back = await app.browse(url);
    const finishing = [app.one, app.two, app.two].map((machine) =>
      machine.finishLogin(back, { session: SESSION }),
    );
    const outcomes = await Promise.allSettled(finishing);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await expect(app.one.finishLogin(back, { session: SESSION })).rejects.toThrow("finished already");
    expect(app.authority.requestsTo("/token")).toHaveLength(1);
  });

  it("ends in the session that began it only, so nobody has somebody else log in for him", async () => {
    await using app = await openApp();
    const { url } = await app.one.beginLogin("mallory", app.server, { session: "mallory's" });
    const back = await app.browse(url);
    await expect(app.two.finishLogin(back, { session: SESSION })).rejects.toThrow("another session");
    await expect(app.two.finishLogin(back, { session: "mallory's" })).rejects.toThrow("not known");
    expect(app.authority.requestsTo("/token")).toHaveLength(0);
  });

  it("may take ten minutes", async () => {
    await using app = await openApp();
    const { url } = await app.one.beginLogin("ann", app.server, { session: SESSION });
    const back = await app.browse(url);
    const later = performance.now() + 600_001;
    vi.spyOn(performance, "now").mockReturnValue(later);
    await expect(app.two.finishLogin(back, { session: SESSION })).rejects.toThrow("ten minutes");
  });

  it.each([
    ["the user has declined", { refuses: () => "access_denied" }, "access_denied"],
    ["another authorization server answers", { callback: { iss: "https://evil.example" } }, ""],
    [
      "the code is refused",
      { tokens: () => ({ status: 400, body: { error: "invalid_grant" } }) },
      "invalid_grant",
    ],
  ] satisfies [string, AuthorizationBehavior, string][])(
    "fails with the reason if %s",
    async (_, behavior, reason) => {
      await using app = await openApp(behavior);
      const { url } = await app.one.beginLogin("ann", app.server, { session: SESSION });
      const finishing = app.two.finishLogin(await app.browse(url), { session: SESSION });
      const error = await finishing.catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "MCP_AUTH_REQUIRED", message: expect.stringContaining(reason) });
      expect(await app.one.headers(app.server, { principal: "ann" })).toEqual({});
    },
  );

  it.each(["https://app.example/mcp/callback", "/?state=x", "", "/?state=x&state=y&code=z"])(
    "does not take %s for the response of an authorization server",
    async (response) => {
      await using app = await openApp();
      await expect(app.one.finishLogin(response, { session: SESSION })).rejects.toThrow("not the response");
    },
  );

  it("needs a session, a redirect URI and a vault that keeps notes", async () => {
    await using app = await openApp();
    const invalid = { code: "MCP_CONFIG_INVALID" };
    await expect(app.one.beginLogin("ann", app.server, { session: "" })).rejects.toMatchObject(invalid);
    await expect(app.one.beginLogin("", app.server, { session: "s" })).rejects.toMatchObject(invalid);
    await using plain = createOAuth();
    await expect(plain.beginLogin("ann", app.server, { session: "s" })).rejects.toThrow("redirectUri");
  });
});
