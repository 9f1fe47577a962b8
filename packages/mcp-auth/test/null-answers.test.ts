import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { openScene } from "./scene.ts";

useLeakCheck();

const HOUR_MS = 3_600_000;

/** The optional members of a token answer, without values. */
const NULLS = { refresh_token: null, scope: null, id_token: null, expires_in: null };
const TOKENS = { access_token: "next", token_type: "Bearer" };

/** The optional members of an OAuth error, without values. */
const NO_DETAILS = { error_description: null, error_uri: null };

describe("a response with null members", () => {
  it("[A15] renews a token and keeps the old refresh token", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    const before = await scene.vault.forServer(scene.server.url);
    scene.authority.behave({ tokens: () => ({ status: 200, body: { ...TOKENS, ...NULLS } }) });
    scene.clock.now += HOUR_MS;
    expect(await scene.oauth.headers(scene.server)).toEqual({ authorization: "Bearer next" });
    const after = await scene.vault.forServer(scene.server.url);
    expect(after?.tokens).toEqual({ ...TOKENS, refresh_token: before?.tokens.refresh_token });
    expect(after?.scopes).toEqual(before?.scopes);
    expect(scene.said).toEqual([]);
  });

  it("names scopes in a renewal, and the login keeps its own beside them", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server, { scopes: ["early"] });
    const body = { ...TOKENS, ...NULLS, scope: "late" };
    scene.authority.behave({ tokens: () => ({ status: 200, body }) });
    scene.clock.now += HOUR_MS;
    await scene.oauth.headers(scene.server);
    expect((await scene.vault.forServer(scene.server.url))?.scopes).toEqual(["early", "late"]);
  });

  it("renews a token twice when the server rotates refresh tokens", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    for (const round of [1, 2]) {
      const body = { ...TOKENS, ...NULLS, refresh_token: `refresh-${round}`, expires_in: 3_600 };
      scene.authority.behave({ tokens: () => ({ status: 200, body }) });
      scene.clock.now += HOUR_MS;
      await scene.oauth.headers(scene.server);
    }
    const sent = scene.authority.requestsTo("/token").map(({ parameters }) => parameters.refresh_token);
    expect(sent.at(-1)).toBe("refresh-1");
    expect((await scene.vault.forServer(scene.server.url))?.tokens.refresh_token).toBe("refresh-2");
  });

  it("completes a login", async () => {
    await using scene = await openScene();
    scene.authority.behave({ tokens: () => ({ status: 200, body: { ...TOKENS, ...NULLS } }) });
    await scene.oauth.login(scene.server);
    expect((await scene.vault.forServer(scene.server.url))?.tokens).toEqual(TOKENS);
  });

  it("registers a client", async () => {
    const body = {
      client_id: "given",
      redirect_uris: ["http://127.0.0.1:1/callback"],
      client_secret: null,
      client_secret_expires_at: null,
      scope: null,
      client_uri: null,
      contacts: null,
    };
    await using scene = await openScene({ behavior: { registration: { status: 201, body } } });
    await scene.oauth.login(scene.server);
    const stored = await scene.vault.forServer(scene.server.url);
    expect(stored?.client).toEqual({
      client_id: "given",
      redirect_uris: body.redirect_uris,
      issuer: scene.authority.issuer,
    });
  });
});

describe.each([
  ["without optional members", {}],
  ["with null members", NO_DETAILS],
])("a refusal %s", (_, details) => {
  it("of a renewal ends the login", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    scene.authority.behave({
      tokens: (grantType) =>
        grantType === "refresh_token"
          ? { status: 400, body: { error: "invalid_grant", ...details } }
          : undefined,
    });
    await scene.oauth.headers(scene.server);
    scene.clock.now += HOUR_MS;
    const { signal } = new AbortController();
    expect(await scene.oauth.onChallenge(scene.server, { status: 401 }, { signal })).toBe("retry");
    expect(scene.pages).toHaveLength(2);
    expect(scene.said).toMatchObject([{ fields: { reason: expect.stringContaining("invalid_grant") } }]);
  });

  it("of the client makes the next login register another one", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    scene.authority.behave({
      tokens: () => ({ status: 401, body: { error: "invalid_client", ...details } }),
    });
    await expect(scene.oauth.login(scene.server)).rejects.toThrow(/invalid_client.* Log in again\.$/);
    scene.authority.behave({});
    await scene.again().login(scene.server);
    expect(scene.authority.requestsTo("/register")).toHaveLength(2);
  });

  it("of a registration is quoted by the error", async () => {
    const registration = { status: 400, body: { error: "invalid_redirect_uri", ...details } };
    await using scene = await openScene({ behavior: { registration } });
    await expect(scene.oauth.login(scene.server)).rejects.toThrow("HTTP 400 (invalid_redirect_uri)");
  });
});

it("an invalid token response fails the login, and the error names the endpoint", async () => {
  const body = { ...TOKENS, access_token: 7 };
  await using scene = await openScene({ behavior: { tokens: () => ({ status: 200, body }) } });
  await expect(scene.oauth.login(scene.server)).rejects.toMatchObject({
    code: "MCP_AUTH_REQUIRED",
    message: expect.stringContaining(
      `${scene.authority.issuer}/token answered the token request with an invalid token answer.`,
    ),
  });
});
