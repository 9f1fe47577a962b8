import { type AuthorizationBehavior, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { createMemoryVault } from "../src/index.ts";
import { reach } from "./request.ts";
import { openScene, type Scene, visit } from "./scene.ts";

useLeakCheck();

const HOUR_MS = 3_600_000;

const refreshes = ({ authority }: Scene) =>
  authority.requestsTo("/token").filter(({ parameters }) => parameters.grant_type === "refresh_token");
const registrations = ({ authority }: Scene) => authority.requestsTo("/register").length;
const login = { authorize: async (url: URL) => void (await fetch(url)) };

/** Answers every renewal with this. */
const renewalsGet = (status: number, body: unknown): AuthorizationBehavior => ({
  tokens: (grantType) => (grantType === "refresh_token" ? { status, body } : undefined),
});

describe("a refresh token that is refused", () => {
  const refusals: readonly (readonly [number, unknown])[] = [
    [400, { error: "invalid_request", error_description: "refresh_token is invalid" }],
    [400, { error: "interaction_required" }],
    [400, { status: "BAD_REFRESH_TOKEN" }],
    [400, { error: { code: 190 } }],
    [401, ""],
    [403, "<html>no</html>"],
    [404, "gone"],
    [200, { error: "bad_refresh_token" }],
    [200, { ok: false, error: "invalid_refresh_token" }],
    [200, {}],
    [200, []],
    [200, "<html>sign in</html>"],
    [200, { access_token: "", token_type: "Bearer" }],
    [200, { access_token: "a", token_type: "DPoP" }],
  ];

  it.each(refusals)("with %i and %j leads to a login, and is not sent again", async (status, body) => {
    await using scene = await openScene();
    await reach(scene.oauth, scene.server);
    scene.authority.behave(renewalsGet(status, body));
    scene.authority.office.expireAccessTokens();
    scene.clock.now += 60_000;
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect([scene.pages.length, refreshes(scene).length]).toEqual([2, 1]);
  });

  it("before a request leads to a login as well, or to an error that names the command", async () => {
    await using scene = await openScene({ isUnattended: true });
    await scene.oauth.login(scene.server, login);
    scene.authority.behave(renewalsGet(400, { error: "token_expired" }));
    scene.clock.now += HOUR_MS;
    expect(await scene.oauth.headers(scene.server)).toEqual({});
    for (const _ of [1, 2]) {
      await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
        code: "MCP_AUTH_REQUIRED",
        message: expect.stringContaining("Log in with: jackfield login files"),
      });
    }
    expect(refreshes(scene)).toHaveLength(1);
    await scene.oauth.login(scene.server, login);
    expect(await reach(scene.oauth, scene.server)).toBe(200);
  });

  it.each([
    [500, "boom"],
    [503, { error: "invalid_grant" }],
    [429, { error: "invalid_grant" }],
    [408, ""],
    [304, ""],
    [400, { error: "temporarily_unavailable" }],
  ])("is kept if %i %j only says that it is not now", async (status, body) => {
    await using scene = await openScene();
    await reach(scene.oauth, scene.server);
    scene.authority.behave(renewalsGet(status, body));
    scene.authority.office.expireAccessTokens();
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({ name: "McpError" });
    scene.authority.behave({});
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(scene.pages).toHaveLength(1);
  });
});

describe("a renewal whose answer is lost", () => {
  it("is repeated at once, while the old refresh token is still accepted", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    let lost = 0;
    scene.authority.behave({ acceptsReuse: true, tokens: () => (++lost === 1 ? "lost" : undefined) });
    scene.clock.now += HOUR_MS;
    await scene.oauth.headers(scene.server);
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect([refreshes(scene).length, scene.pages.length]).toEqual([2, 1]);
  });

  it("leads to a login if the token counts as reused", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    let lost = 0;
    scene.authority.behave({ tokens: () => (++lost === 1 ? "lost" : undefined) });
    scene.clock.now += HOUR_MS;
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(scene.pages).toHaveLength(2);
  });
});

describe("a client that the authorization server has forgotten", () => {
  const forgetful = (how: string): AuthorizationBehavior => ({
    refuses: (_, isKnown) => (isKnown ? undefined : how),
  });

  it.each(["invalid_client", "unauthorized_client", "invalid_request", "client_not_found"])(
    "is registered again in the same login if the redirect says %s",
    async (error) => {
      await using scene = await openScene();
      await scene.oauth.login(scene.server);
      scene.authority.office.forgetClients();
      scene.authority.behave(forgetful(error));
      await scene.oauth.login(scene.server);
      expect(await reach(scene.oauth, scene.server)).toBe(200);
      expect([registrations(scene), scene.pages.length]).toEqual([2, 3]);
    },
  );

  it("and that is refused again is not registered a third time", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    scene.authority.behave({ refuses: () => "unauthorized_client" });
    await expect(scene.oauth.login(scene.server)).rejects.toThrow("unauthorized_client");
    expect([registrations(scene), scene.pages.length]).toEqual([2, 3]);
  });

  it.each(["access_denied", "temporarily_unavailable", "login_required"])(
    "is not meant by %s, which registers no other one",
    async (error) => {
      await using scene = await openScene();
      await scene.oauth.login(scene.server);
      scene.authority.behave({ refuses: () => error });
      await expect(scene.oauth.login(scene.server)).rejects.toThrow(error);
      scene.authority.behave({});
      await scene.oauth.login(scene.server);
      expect(registrations(scene)).toBe(1);
    },
  );

  it("behind a page that never returns is registered again by the next login", async () => {
    const vault = createMemoryVault();
    await using scene = await openScene({ oauth: { vault, callback: { timeoutMs: 50 } } });
    await scene.again({ callback: {} }).login(scene.server);
    scene.authority.office.forgetClients();
    scene.authority.behave(forgetful("page"));
    await expect(scene.oauth.login(scene.server)).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      message: expect.stringMatching(/Log in again\. The next login registers another client/),
    });
    expect(registrations(scene)).toBe(1);
    await scene.again({ callback: {} }).login(scene.server);
    expect(registrations(scene)).toBe(2);
    expect(await reach(scene.again(), scene.server)).toBe(200);
  });

  it("is registered again as well if the caller gives up first", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    scene.authority.office.forgetClients();
    scene.authority.behave(forgetful("page"));
    const control = new AbortController();
    const forgotten = scene.nextWrite();
    const authorize = async (url: URL) => {
      await visit(url, []);
      control.abort();
    };
    const given = scene.oauth.login(scene.server, { authorize, signal: control.signal });
    await expect(given).rejects.toMatchObject({ code: "MCP_ABORTED" });
    await forgotten;
    await scene.oauth.login(scene.server);
    expect(registrations(scene)).toBe(2);
  });

  it("does not matter if a login that timed out had registered it itself", async () => {
    await using scene = await openScene({ oauth: { callback: { timeoutMs: 50 } } });
    scene.authority.behave({ refuses: () => "page" });
    const error = await scene.oauth.login(scene.server).catch((thrown: Error) => thrown);
    expect(String(error)).toMatch(/Log in again\.$/);
  });
});

describe("the scopes of a login", () => {
  const asked = (scene: Scene) =>
    scene.authority.requestsTo("/authorize").map(({ parameters }) => parameters.scope);

  it("are those that the registration granted, also in later logins", async () => {
    await using scene = await openScene({ behavior: { registered: { scope: "read list" } } });
    scene.guard({ metadata: { scopes_supported: ["read", "write"] } });
    await scene.oauth.login(scene.server);
    await scene.again().login(scene.server);
    expect(asked(scene)).toEqual(["read", "read"]);
    expect((await scene.vault.forServer(scene.server.url))?.scopes).toEqual(["read", "write"]);
  });

  it("are the registration's if nobody names any", async () => {
    await using scene = await openScene({ behavior: { registered: { scope: "read list" } } });
    await scene.oauth.login(scene.server);
    expect(asked(scene)).toEqual(["read list"]);
  });

  it("are the registration's if it has none of those wanted and these are refused", async () => {
    await using scene = await openScene({
      behavior: {
        registered: { scope: "openid" },
        refuses: ({ scope }) => (scope === "openid" ? undefined : "invalid_scope"),
      },
    });
    await scene.oauth.login(scene.server, { scopes: ["files"] });
    expect(asked(scene)).toEqual(["files", "openid"]);
  });
});

describe("a client whose method of authentication is told in different ways", () => {
  const METHODS = ["client_secret_basic", "client_secret_post", "none"] as const;
  const told = METHODS.flatMap((registered) =>
    [...METHODS, undefined].flatMap((announced) =>
      METHODS.map((accepted) => [registered, announced, accepted] as const),
    ),
  );
  // Whether a secret may be left out is for the authorization server to say.
  const solvable = told.filter(
    ([...methods]) => methods[2] !== "none" || methods.slice(0, 2).includes("none"),
  );

  it.each(solvable)(
    "registered %s, announced %s, accepted %s: logs in and renews",
    async (one, other, clientAuth) => {
      const isPublic = [one, other].every((method) => method === "none" || method === undefined);
      const hasSecret = !isPublic || clientAuth !== "none";
      await using scene = await openScene({
        behavior: {
          registered: { token_endpoint_auth_method: one, ...(hasSecret ? { client_secret: "s3cret" } : {}) },
          metadata: { token_endpoint_auth_methods_supported: other === undefined ? null : [other] },
          clientAuth,
        },
      });
      await scene.oauth.login(scene.server);
      const first = await scene.oauth.headers(scene.server);
      const before = scene.authority.requestsTo("/token").length;
      scene.clock.now += HOUR_MS;
      expect(await scene.oauth.headers(scene.server)).not.toEqual(first);
      expect(scene.authority.requestsTo("/token")).toHaveLength(before + 1);
      expect(scene.pages).toHaveLength(1);
    },
  );

  it("is a public one if it was registered for a secret and got none", async () => {
    await using scene = await openScene({
      behavior: {
        registered: { token_endpoint_auth_method: "client_secret_basic" },
        metadata: { token_endpoint_auth_methods_supported: ["client_secret_basic"] },
        clientAuth: "none",
      },
    });
    await scene.oauth.login(scene.server);
    expect(await reach(scene.oauth, scene.server)).toBe(200);
  });
});

describe("an answer of the token endpoint", () => {
  it.each<[string, object]>([
    ["without a type", { token_type: null }],
    ["with a lifetime that is no number", { expires_in: "soon" }],
    ["with a lifetime as text", { expires_in: "3600" }],
    ["with scopes as a list", { scope: ["read", "write"] }],
    ["with an id token that is none", { id_token: {} }],
  ])("%s is taken, and an optional member of the wrong type does not count", async (_, members) => {
    const body = { access_token: "at", token_type: "Bearer", expires_in: 60, ...members };
    await using scene = await openScene({ behavior: { tokens: () => ({ status: 200, body }) } });
    await scene.oauth.login(scene.server);
    expect(await scene.oauth.headers(scene.server)).toEqual({ authorization: "Bearer at" });
  });

  it("without a lifetime gives a token that is used until it is refused, then renewed", async () => {
    await using scene = await openScene({ behavior: { lifetimeS: null } });
    await scene.oauth.login(scene.server);
    scene.clock.now += 1_000 * HOUR_MS;
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(refreshes(scene)).toEqual([]);
    scene.authority.office.expireAccessTokens();
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect([refreshes(scene).length, scene.pages.length]).toEqual([1, 1]);
  });
});

it.each([-5, 5])("a clock that is %i minutes off in another process loses no login", async (minutes) => {
  await using scene = await openScene({ isUnattended: true });
  await scene.oauth.login(scene.server, login);
  const other = scene.again({ now: () => scene.clock.now + minutes * 60_000 });
  for (const oauth of [other, scene.oauth, other, scene.oauth]) {
    scene.clock.now += HOUR_MS;
    scene.authority.office.expireAccessTokens();
    expect(await reach(oauth, scene.server)).toBe(200);
  }
  expect(scene.authority.office.replays).toBe(0);
});

it("a clock that is set back does not keep a renewal from being tried again", async () => {
  await using scene = await openScene();
  await scene.oauth.login(scene.server);
  const first = await scene.oauth.headers(scene.server);
  scene.authority.behave({ tokens: () => ({ status: 503, body: "" }) });
  scene.clock.now += HOUR_MS;
  expect(await scene.oauth.headers(scene.server)).toEqual(first);
  scene.authority.behave({});
  scene.clock.now -= 120_000;
  const renewed = scene.nextWrite();
  await scene.oauth.headers(scene.server);
  await renewed;
  expect(await scene.oauth.headers(scene.server)).not.toEqual(first);
});
