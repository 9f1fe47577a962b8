import { generateKeyPairSync, verify } from "node:crypto";
import { isMcpError, type OAuthSettings } from "@jackfield/mcp-core";
import { type AuthorizationServer, startAuthorizationServer, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { createOAuth, crossAppAccess, type EntrySettings } from "../src/index.ts";
import { reach } from "./request.ts";
import { openScene, type Scene, type SceneOptions } from "./scene.ts";

useLeakCheck();

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const CLIENT = { grantType: "client_credentials", clientId: "robot", clientSecret: "s3cret" } as const;

/** An authorization server for programs: it has no login page, no PKCE and no registration. */
const FOR_PROGRAMS = {
  metadata: {
    authorization_endpoint: null,
    registration_endpoint: null,
    code_challenge_methods_supported: null,
    token_endpoint_auth_methods_supported: ["client_secret_basic"],
  },
};

function openProgram(
  settings: OAuthSettings,
  { oauth, entry, ...rest }: SceneOptions & { readonly entry?: EntrySettings } = {},
): Promise<Scene> {
  return openScene({
    behavior: FOR_PROGRAMS,
    isUnattended: true,
    oauth: { settingsOf: () => ({ settings, scope: "user", ...entry }), ...oauth },
    ...rest,
  });
}

async function refusal(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const tokenRequests = (authority: AuthorizationServer) =>
  authority.requestsTo("/token").map(({ parameters }) => parameters);

describe("a program without a user", () => {
  it("gets a token with its secret, from an authorization server that has no login page", async () => {
    await using scene = await openProgram({ ...CLIENT, scopes: ["read"] });
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    const [request] = scene.authority.requestsTo("/token");
    expect(request?.parameters).toEqual({
      grant_type: "client_credentials",
      scope: "read",
      resource: scene.server.url,
    });
    const basic = Buffer.from("robot:s3cret").toString("base64");
    expect(request?.headers.authorization).toBe(`Basic ${basic}`);
    expect(await scene.vault.list()).toEqual([]);
  });

  it("uses the method of authentication that the authorization server accepts", async () => {
    await using scene = await openProgram(CLIENT, {
      behavior: { metadata: FOR_PROGRAMS.metadata, clientAuth: "client_secret_post" },
    });
    expect(await reach(scene.oauth, scene.server)).toBe(200);
  });

  it("signs with its private key", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const { clientSecret: _, ...client } = CLIENT;
    await using scene = await openProgram({ ...client, privateKey: pem });
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    const [sent] = tokenRequests(scene.authority);
    const [head = "", claims = "", signature = ""] = (sent?.client_assertion ?? "").split(".");
    const key = { key: publicKey, dsaEncoding: "ieee-p1363" } as const;
    expect(verify("sha256", Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, "base64url"))).toBe(
      true,
    );
    expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({
      iss: "robot",
      sub: "robot",
      aud: scene.authority.issuer,
    });
    expect(sent?.client_secret).toBeUndefined();
  });

  it("takes a key in one line, as variables hold it", async () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const { clientSecret: _, ...client } = CLIENT;
    const key = { privateKey: pem.replaceAll("\n", "\\n"), algorithm: "RS256" };
    await using scene = await openProgram({ ...client, ...key });
    expect(await reach(scene.oauth, scene.server)).toBe(200);
  });

  it("tells that its key cannot be used, without the key", async () => {
    await using scene = await openProgram({ ...CLIENT, privateKey: "not-a-key-but-secret" });
    const error = await refusal(reach(scene.oauth, scene.server));
    expect(error).toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    expect(JSON.stringify(error) + String(error)).not.toContain("not-a-key");
    expect(tokenRequests(scene.authority)).toEqual([]);
  });

  it("keeps the scopes that a request needed when a token is refused", async () => {
    await using scene = await openProgram(CLIENT);
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    scene.guard({ scope: "write" });
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    scene.guard({ scope: "read" });
    scene.authority.office.expireAccessTokens();
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(tokenRequests(scene.authority).at(-1)?.scope).toBe("write read");
  });

  it("asks once for many requests at the same time, and again before the token ends", async () => {
    await using scene = await openProgram(CLIENT);
    const many = Array.from({ length: 5 }, () => reach(scene.oauth, scene.server));
    expect(await Promise.all(many)).toEqual([200, 200, 200, 200, 200]);
    expect(tokenRequests(scene.authority)).toHaveLength(1);
    const first = await scene.oauth.headers(scene.server);
    scene.clock.now += 3_500_000;
    expect(await scene.oauth.headers(scene.server)).not.toEqual(first);
    expect(tokenRequests(scene.authority)).toHaveLength(2);
    expect(await reach(scene.oauth, scene.server)).toBe(200);
  });

  it("keeps a token that is still valid while the authorization server is down", async () => {
    await using scene = await openProgram(CLIENT);
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    scene.authority.behave({ ...FOR_PROGRAMS, tokens: () => ({ status: 503, body: {} }) });
    scene.clock.now += 3_500_000;
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(tokenRequests(scene.authority)).toHaveLength(2);
    scene.authority.office.expireAccessTokens();
    const error = await refusal(reach(scene.oauth, scene.server));
    expect(error).toMatchObject({ code: "MCP_CONNECT_FAILED", httpStatus: 503, retryable: true });
    scene.authority.behave(FOR_PROGRAMS);
    expect(await reach(scene.oauth, scene.server)).toBe(200);
  });

  it("gets another token if the server refuses one", async () => {
    await using scene = await openProgram(CLIENT);
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    const account = await scene.oauth.account?.(scene.server);
    scene.authority.office.expireAccessTokens();
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(await scene.oauth.account?.(scene.server)).toBe(account);
  });

  it("asks for the scopes that a request needs, and gives up on those that it does not get", async () => {
    await using scene = await openProgram(CLIENT);
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    scene.guard({ scope: "write" });
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    scene.authority.behave({ ...FOR_PROGRAMS, grantedScope: "write" });
    scene.guard({ scope: "delete" });
    expect(await reach(scene.oauth, scene.server)).toBe(403);
    expect(await refusal(reach(scene.oauth, scene.server))).toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      httpStatus: 403,
    });
    expect(tokenRequests(scene.authority).map(({ scope }) => scope)).toEqual([
      undefined,
      "write",
      "write delete",
    ]);
  });

  it("tells a refusal without the secret, and does not ask twice", async () => {
    await using scene = await openProgram(CLIENT, {
      behavior: {
        ...FOR_PROGRAMS,
        tokens: () => ({
          status: 400,
          body: { error: "unauthorized_client", error_description: "s3cret is not welcome" },
        }),
      },
    });
    const error = await refusal(reach(scene.oauth, scene.server));
    expect(error).toMatchObject({ code: "MCP_AUTH_REQUIRED", httpStatus: 401 });
    expect(String(error)).toContain("unauthorized_client");
    expect(JSON.stringify(error) + String(error)).not.toContain("s3cret");
    expect(tokenRequests(scene.authority)).toHaveLength(1);
  });

  it("sends its secret to the first authorization server only", async () => {
    await using scene = await openProgram(CLIENT);
    await using other = await startAuthorizationServer(FOR_PROGRAMS);
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    scene.guard({ authorizationServer: other });
    expect(await refusal(reach(scene.oauth, scene.server))).toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    expect(other.requestsTo("/token")).toEqual([]);
  });

  it("is told its token endpoint by hand", async () => {
    const scene: Scene = await openScene({
      behavior: { metadataPath: "/nowhere" },
      guard: { metadata: false },
      isUnattended: true,
      oauth: {
        settingsOf: () => ({
          settings: { ...CLIENT, tokenUrl: `${scene.authority.issuer}/token`, resource: false },
          scope: "user",
        }),
      },
    });
    await using _ = scene;
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(tokenRequests(scene.authority)).toEqual([{ grant_type: "client_credentials" }]);
    expect(scene.said).toEqual([]);
  });

  it.each([
    ["clientId", { grantType: "client_credentials", clientSecret: "s3cret" }],
    ["privateKey", { grantType: "client_credentials", clientId: "robot" }],
  ])("needs its %s", async (missing, settings) => {
    await using scene = await openProgram(settings);
    const error = await refusal(reach(scene.oauth, scene.server));
    expect(isMcpError(error, "MCP_CONFIG_INVALID") && error.message).toContain(`"${missing}"`);
    expect(scene.authority.requests).toEqual([]);
  });

  it("has no login", async () => {
    await using scene = await openProgram(CLIENT);
    const error = await refusal(scene.oauth.login(scene.server, { authorize: async () => undefined }));
    expect(error).toMatchObject({ code: "MCP_CONFIG_INVALID" });
  });
});

describe("a program that is vouched for", () => {
  it("gets a token for the JWT of its workload, as a public client", async () => {
    await using scene = await openProgram(
      { clientId: "workload", scopes: ["read"] },
      { entry: { assertion: async ({ issuer }) => `jwt-for-${issuer}\n` } },
    );
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(tokenRequests(scene.authority)).toEqual([
      {
        grant_type: JWT_BEARER,
        assertion: `jwt-for-${scene.authority.issuer}`,
        scope: "read",
        resource: scene.server.url,
        client_id: "workload",
      },
    ]);
  });

  it("tells why there is no JWT", async () => {
    const assertion = () => Promise.reject(new Error("no such workload"));
    await using scene = await openProgram({ clientId: "workload" }, { entry: { assertion } });
    const error = await refusal(reach(scene.oauth, scene.server));
    expect(error).toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    expect(String(error)).toContain("no such workload");
  });

  it("crosses from app to app, with the ID token of each user", async () => {
    await using provider = await startAuthorizationServer({
      ...FOR_PROGRAMS,
      tokens: () => ({
        status: 200,
        body: {
          access_token: "id-jag",
          issued_token_type: "urn:ietf:params:oauth:token-type:id-jag",
          token_type: "N_A",
        },
      }),
    });
    const assertion = crossAppAccess({
      identityProvider: provider.issuer,
      clientId: "at-the-company",
      idToken: ({ principal }) => `id-of-${principal}`,
    });
    const { grantType: _, ...client } = CLIENT;
    await using scene = await openProgram(client);
    await using oauth = createOAuth({ settingsOf: () => ({ settings: client, scope: "user", assertion }) });
    expect(await reach(oauth, scene.server, "ada")).toBe(200);
    expect(tokenRequests(provider)).toEqual([
      {
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
        audience: scene.authority.issuer,
        resource: scene.server.url,
        subject_token: "id-of-ada",
        subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
        client_id: "at-the-company",
      },
    ]);
    expect(tokenRequests(scene.authority)).toEqual([
      { grant_type: JWT_BEARER, assertion: "id-jag", resource: scene.server.url },
    ]);
  });

  it("says that the identity provider refused, without the ID token", async () => {
    await using provider = await startAuthorizationServer({
      ...FOR_PROGRAMS,
      tokens: () => ({
        status: 400,
        body: { error: "invalid_grant", error_description: "id-token-1 expired" },
      }),
    });
    const identityProvider = provider.issuer;
    const assertion = crossAppAccess({ identityProvider, clientId: "app", idToken: () => "id-token-1" });
    await using scene = await openProgram({ clientId: "robot" }, { entry: { assertion } });
    const error = await refusal(reach(scene.oauth, scene.server));
    expect(error).toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    expect(String(error)).toContain("invalid_grant");
    expect(String(error)).not.toContain("id-token-1");
    expect(scene.authority.requestsTo("/token")).toEqual([]);
  });
});
