import type { OAuthSettings } from "@jackfield/mcp-core";
import { startAuthorizationServer, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import type { EntrySettings } from "../src/index.ts";
import { reach } from "./request.ts";
import { openScene, type Scene } from "./scene.ts";

useLeakCheck();

const HOUR_MS = 3_600_000;

/** A server and an authorization server without any metadata, with an entry that says what there would be. */
async function openBare(
  settings: (issuer: string) => OAuthSettings,
  { scope = "user", ...rest }: Partial<EntrySettings> = {},
): Promise<Scene> {
  const scene: Scene = await openScene({
    behavior: { metadataPath: "/nowhere" },
    guard: { metadata: false },
    oauth: { settingsOf: () => ({ settings: settings(scene.authority.issuer), scope, ...rest }) },
  });
  return scene;
}

const endpoints = (issuer: string) => ({
  authorizationUrl: `${issuer}/authorize`,
  tokenUrl: `${issuer}/token`,
  clientId: "by-hand",
});

describe("an entry that names the endpoints of its authorization server", () => {
  it("logs in, calls and renews without any metadata", async () => {
    await using scene = await openBare((issuer) => ({
      ...endpoints(issuer),
      issuer,
      scopes: ["read"],
      resource: false,
    }));
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    const first = await scene.oauth.headers(scene.server);
    scene.clock.now += HOUR_MS;
    expect(await scene.oauth.headers(scene.server)).not.toEqual(first);
    scene.authority.office.expireAccessTokens();
    expect(await reach(scene.again(), scene.server)).toBe(200);
    const asked = scene.authority.requests.map(({ path }) => path);
    expect(asked).toEqual(["/authorize", "/token", "/token", "/token"]);
    expect(scene.authority.requestsTo("/authorize")[0]?.parameters).toMatchObject({
      client_id: "by-hand",
      scope: "read",
      code_challenge_method: "S256",
    });
    expect(scene.authority.requests.filter(({ parameters }) => "resource" in parameters)).toEqual([]);
    expect(scene.said).toEqual([]);
  });

  it.each([
    ["its own resource", "named"],
    ["the advertised one", "advertised"],
    ["none if it is not advertised", "missing"],
  ])("sends %s", async (_, which) => {
    await using scene = await openBare((issuer) => ({
      ...endpoints(issuer),
      resource: which === "named" ? new URL("/", scene.server.url).href : undefined,
    }));
    if (which === "advertised") scene.guard({});
    await scene.oauth.login(scene.server);
    const { origin, href } = new URL(scene.server.url);
    const sent = { named: `${origin}/`, advertised: href, missing: undefined }[which];
    expect(scene.authority.requestsTo("/authorize")[0]?.parameters.resource).toBe(sent);
  });

  it("prefers them to what the server advertises", async () => {
    await using other = await startAuthorizationServer();
    await using scene = await openBare((issuer) => ({ ...endpoints(issuer), issuer }));
    scene.guard({ authorizationServer: other });
    await scene.oauth.login(scene.server);
    expect(other.requests).toEqual([]);
  });

  it("registers a client if it names where, and fails before a page if it names none", async () => {
    let registrationUrl = "";
    await using scene = await openBare((issuer) => ({ ...endpoints(issuer), clientId: "", registrationUrl }));
    await expect(scene.oauth.login(scene.server)).rejects.toThrow("does not register clients");
    registrationUrl = `${scene.authority.issuer}/register`;
    await scene.oauth.login(scene.server);
    expect(scene.authority.requestsTo("/register")).toHaveLength(1);
  });

  it.each([
    [true, "own", true],
    [true, "other", false],
    [false, "other", true],
  ])("issuer named: %s, iss of the answer: %s, accepted: %s", async (isNamed, iss, isAccepted) => {
    await using scene = await openBare((issuer) => ({
      ...endpoints(issuer),
      ...(isNamed ? { issuer } : {}),
    }));
    const { issuer } = scene.authority;
    scene.authority.behave({ callback: { iss: iss === "own" ? issuer : "https://other.example" } });
    const login = scene.oauth.login(scene.server);
    if (isAccepted) expect(await login).toMatchObject({ issuer });
    else await expect(login).rejects.toThrow("did not come from");
  });

  it("[T35] of a project is not heard", async () => {
    await using elsewhere = await startAuthorizationServer();
    await using scene = await openBare(() => ({ ...endpoints(elsewhere.issuer), issuer: elsewhere.issuer }), {
      scope: "project",
    });
    await expect(scene.oauth.login(scene.server)).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    expect(elsewhere.requests).toEqual([]);
    expect(scene.said[0]).toMatchObject({ message: expect.stringContaining("project cannot set") });
  });

  it("and only one of the two is told so, and what is discovered counts", async () => {
    await using scene = await openScene({
      oauth: { settingsOf: () => ({ settings: { tokenUrl: "https://elsewhere.example/token" } }) },
    });
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(scene.said).toMatchObject([
      { level: "warn", message: expect.stringContaining('"authorizationUrl" and "tokenUrl" together') },
    ]);
  });

  it.each([
    ["tokenUrl", "login.example/token", "MCP_CONFIG_INVALID"],
    ["authorizationUrl", "login", "MCP_CONFIG_INVALID"],
    ["tokenUrl", "http://login.example/token", "MCP_AUTH_REQUIRED"],
    ["authorizationUrl", "http://login.example/authorize", "MCP_AUTH_REQUIRED"],
    ["tokenUrl", "https://169.254.169.254/token", "MCP_AUTH_REQUIRED"],
  ])("with %s %s fails and sends nothing there", async (member, value, code) => {
    await using scene = await openBare((issuer) => ({ ...endpoints(issuer), [member]: value }));
    await expect(scene.oauth.login(scene.server)).rejects.toMatchObject({ code });
    expect(scene.authority.requestsTo("/token")).toEqual([]);
  });
});

it("an entry that names only the issuer has its metadata read there", async () => {
  const scene: Scene = await openScene({
    guard: { metadata: false },
    oauth: { settingsOf: () => ({ settings: { issuer: scene.authority.issuer } }) },
  });
  await using _ = scene;
  expect(await reach(scene.oauth, scene.server)).toBe(200);
  expect(scene.authority.requestsTo("/register")).toHaveLength(1);
});

it("[T34] `resource: false` of a project is not heard", async () => {
  await using scene = await openScene({
    oauth: { settingsOf: () => ({ settings: { resource: false }, scope: "project" }) },
  });
  expect(await reach(scene.oauth, scene.server)).toBe(200);
  expect(scene.authority.requestsTo("/authorize")[0]?.parameters.resource).toBe(scene.server.url);
  expect(scene.said).toMatchObject([{ fields: { members: ["resource"] } }]);
  expect(await scene.oauth.logout(scene.server)).toBe(true);
});

it("[T34] a resource that does not cover the server is refused beside endpoints too", async () => {
  await using scene = await openBare((issuer) => ({
    ...endpoints(issuer),
    resource: "https://other.example/",
  }));
  await expect(scene.oauth.login(scene.server)).rejects.toThrow("does not match its URL");
  expect(scene.pages).toEqual([]);
});

it("`resource: false` keeps a login of its own", async () => {
  await using scene = await openScene();
  const without = scene.again({ settingsOf: () => ({ settings: { resource: false } }) });
  await scene.oauth.login(scene.server);
  expect(await without.headers(scene.server)).toEqual({});
  await without.login(scene.server);
  expect(scene.authority.requestsTo("/authorize")[1]?.parameters).not.toHaveProperty("resource");
  expect(await without.headers(scene.server)).toHaveProperty("authorization");
});
