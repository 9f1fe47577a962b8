import { startAuthorizationServer, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { reach } from "./request.ts";
import { openScene } from "./scene.ts";

useLeakCheck();

const refused = (...words: string[]) => ({
  code: "MCP_AUTH_REQUIRED",
  server: "files",
  message: expect.stringMatching(new RegExp(words.join(".*"), "s")),
});

describe("a login", () => {
  it("[A18] fails with endpoint, status and error text when registration is refused", async () => {
    await using scene = await openScene({
      behavior: { registration: { status: 403, body: { error: "unapproved\u001b[31m_client" } } },
    });
    const endpoint = `${scene.authority.issuer}/register`;
    const login = scene.oauth.login(scene.server);
    await expect(login).rejects.toMatchObject(refused(endpoint, "HTTP 403", "unapproved"));
    await expect(login).rejects.not.toMatchObject({ message: expect.stringContaining("\u001b") });
    expect(await scene.vault.list()).toEqual([]);
    expect(scene.pages).toEqual([]);
  });

  it("fails when the server registers no clients and the entry names none", async () => {
    await using scene = await openScene({ behavior: { metadata: { registration_endpoint: null } } });
    await expect(scene.oauth.login(scene.server)).rejects.toMatchObject(
      refused("does not register clients", "client id"),
    );
  });

  it("[A19] [T31] fails when the metadata names another issuer on the same origin", async () => {
    await using scene = await openScene();
    scene.authority.behave({ metadata: { issuer: `${scene.authority.issuer}/other-tenant` } });
    const login = scene.oauth.login(scene.server);
    const { issuer } = scene.authority;
    await expect(login).rejects.toMatchObject(refused(issuer, "another issuer", `${issuer}/other-tenant`));
    const asked = scene.authority.requests.map(({ path }) => path);
    expect(asked.filter((path) => !path.startsWith("/.well-known/"))).toEqual([]);
  });

  it.each([
    ["is another one", true, "https://evil.example"],
    ["has an extra trailing slash", false, "/"],
    ["differs in case", false, "HTTP"],
    ["is missing although it was promised", true, null],
  ])(
    "[A20] [T30] fails before the token request when the issuer in the response %s",
    async (_, isPromised, iss) => {
      await using scene = await openScene();
      const { issuer } = scene.authority;
      const answered = iss === "/" ? `${issuer}/` : iss === "HTTP" ? issuer.replace("http", "HTTP") : iss;
      scene.authority.behave({
        metadata: { authorization_response_iss_parameter_supported: isPromised },
        callback: { iss: answered },
      });
      await expect(scene.oauth.login(scene.server)).rejects.toMatchObject(refused("did not come from"));
      expect(scene.authority.requestsTo("/token")).toEqual([]);
    },
  );

  it.each([
    ["is right and was promised", true, "own"],
    ["is right and was not promised", false, "own"],
    ["is missing and was not promised", false, null],
  ])("[A20] [T30] succeeds when the issuer in the response %s", async (_, isPromised, iss) => {
    await using scene = await openScene();
    scene.authority.behave({
      metadata: { authorization_response_iss_parameter_supported: isPromised },
      callback: { iss: iss === "own" ? scene.authority.issuer : iss },
    });
    expect(await scene.oauth.login(scene.server)).toMatchObject({ issuer: scene.authority.issuer });
  });

  it.each([
    ["an empty object", {}],
    ["an OAuth error", { error: "temporarily_unavailable" }],
    ["tokens without an access token", { token_type: "Bearer", refresh_token: "r" }],
    ["a DPoP token", { access_token: "a", token_type: "DPoP" }],
  ])("[A21] fails and stores nothing when the token response is 200 with %s", async (_, body) => {
    await using scene = await openScene({ behavior: { tokens: () => ({ status: 200, body }) } });
    await expect(scene.oauth.login(scene.server)).rejects.toMatchObject(refused());
    expect(await scene.vault.list()).toEqual([]);
    expect(await scene.oauth.headers(scene.server)).toEqual({});
  });

  it("fails with the error of the callback", async () => {
    await using scene = await openScene({
      behavior: { callback: { code: null, error: "access_denied", error_description: "Not you" } },
    });
    await expect(scene.oauth.login(scene.server)).rejects.toMatchObject(refused("access_denied"));
  });

  it("[T36] fails when the token endpoint is remote and without TLS", async () => {
    await using scene = await openScene({
      behavior: { metadata: { token_endpoint: "http://public.example/token" } },
    });
    await expect(scene.oauth.login(scene.server)).rejects.toMatchObject(refused());
    expect(scene.authority.requestsTo("/token")).toEqual([]);
  });

  it.each([
    "javascript:alert(1)",
    "file:///etc/passwd",
    "http://elsewhere.example/login",
    // A parser encodes it, so the URL that is built no longer shows it.
    "https://issuer.example/\u202elogin",
  ])("[T25] fails without a page when the authorization endpoint is %j", async (endpoint) => {
    await using scene = await openScene({ behavior: { metadata: { authorization_endpoint: endpoint } } });
    await expect(scene.oauth.login(scene.server)).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    expect(scene.pages).toEqual([]);
  });
});

describe("[T27] an internal address", () => {
  const INSIDE = "https://10.1.2.3:8443/hidden";
  const refusal = {
    code: "MCP_AUTH_REQUIRED",
    server: "files",
    message: expect.stringContaining("10.1.2.3"),
  };

  it("is refused as authorization server and as metadata URL of a challenge", async () => {
    await using scene = await openScene({ guard: { metadata: { authorization_servers: [INSIDE] } } });
    await expect(scene.oauth.login(scene.server)).rejects.toMatchObject(refusal);
    const challenge = { status: 401, wwwAuthenticate: `Bearer resource_metadata="${INSIDE}"` } as const;
    const met = scene.oauth.onChallenge(scene.server, challenge, { signal: new AbortController().signal });
    await expect(met).rejects.toMatchObject(refusal);
    expect(scene.authority.requests).toEqual([]);
  });

  it.each(["registration_endpoint", "token_endpoint"])("is refused as %s", async (field) => {
    await using scene = await openScene({ behavior: { metadata: { [field]: INSIDE } } });
    await expect(scene.oauth.login(scene.server)).rejects.toMatchObject(refusal);
    expect(scene.authority.requestsTo("/token")).toEqual([]);
  });
});

describe("the OAuth settings of an entry", () => {
  it("[T35] cannot set endpoints, and one warning says so", async () => {
    await using elsewhere = await startAuthorizationServer();
    const settings = {
      tokenUrl: `${elsewhere.issuer}/token`,
      authorization_endpoint: `${elsewhere.issuer}/authorize`,
    };
    await using scene = await openScene({
      oauth: { settingsOf: () => ({ settings, scope: "project" }) },
    });
    await scene.oauth.login(scene.server);
    await scene.oauth.headers({ ...scene.server });
    expect(elsewhere.requests).toEqual([]);
    expect(scene.said).toEqual([
      {
        level: "warn",
        message: expect.stringContaining("cannot set OAuth endpoints"),
        fields: { server: "files", members: Object.keys(settings), scope: "project" },
      },
    ]);
  });

  it("set the client and its scopes, and the client secret is not stored in the vault", async () => {
    const settings = { clientId: "fixed", clientSecret: "of-the-client", scopes: ["a", "b"] };
    await using scene = await openScene({
      behavior: { metadata: { token_endpoint_auth_methods_supported: ["client_secret_post"] } },
      oauth: { settingsOf: () => ({ settings }), callback: { path: "/back" } },
    });
    await scene.oauth.login(scene.server);
    scene.clock.now += 3_600_000;
    await scene.oauth.headers(scene.server);
    expect(scene.authority.requestsTo("/register")).toEqual([]);
    const [page] = scene.authority.requestsTo("/authorize");
    expect(page?.parameters).toMatchObject({ client_id: "fixed", scope: "a b" });
    expect(page?.parameters.redirect_uri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/back$/);
    const secrets = scene.authority.requestsTo("/token").map(({ parameters }) => parameters.client_secret);
    expect(secrets).toEqual(["of-the-client", "of-the-client"]);
    expect(JSON.stringify(await scene.vault.forServer(scene.server.url))).not.toContain("of-the-client");
  });

  it.each(["https://evil.example/cb", "http://127.0.0.1/cb", "http://localhost.evil.example:80/cb"])(
    "cannot set the redirect URI %s",
    async (redirectUri) => {
      await using scene = await openScene({ oauth: { settingsOf: () => ({ settings: { redirectUri } }) } });
      await expect(scene.oauth.login(scene.server)).rejects.toMatchObject({ code: "MCP_CONFIG_INVALID" });
    },
  );
});

it.each([true, false])(
  "an issuer mismatch is reported with the server's 401 (unattended: %s)",
  async (isUnattended) => {
    await using scene = await openScene({ isUnattended });
    scene.authority.behave({ metadata: { issuer: `${scene.authority.issuer}/other-tenant` } });
    const error = { ...refused("another issuer"), httpStatus: 401 };
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject(error);
  },
);
