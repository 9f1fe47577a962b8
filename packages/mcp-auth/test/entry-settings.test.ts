import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { OAuthSettings } from "@jackfield/mcp-core";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { ignoredEndpoints, readEntrySettings } from "../src/entry-settings.ts";
import { reach, remoteServer } from "./request.ts";
import { openScene } from "./scene.ts";

useLeakCheck();

const SERVER = remoteServer("https://server.example/mcp");

/** A free port of this machine. */
async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  await once(server.close(), "close");
  return port;
}

describe("the OAuth settings of an entry", () => {
  it.each<[OAuthSettings | false, unknown]>([
    [false, undefined],
    [{ enabled: false, clientId: "x" }, undefined],
    [{ callbackPort: 8_080 }, { port: 8_080 }],
    [
      { redirectUri: "http://localhost:3000/a/b", callbackPort: 1 },
      { host: "localhost", port: 3_000, path: "/a/b" },
    ],
    [{ redirectUri: "http://127.0.0.1:3000/" }, { host: "127.0.0.1", port: 3_000, path: "/" }],
  ])("yield the callback of %j", (settings, callback) => {
    expect(readEntrySettings(SERVER, settings)?.callback).toEqual(callback);
  });

  it("with an empty clientId name no client, so one is registered", async () => {
    const settings = { clientId: "", clientSecret: "" };
    await using scene = await openScene({ oauth: { settingsOf: () => ({ settings }) } });
    const { clientId } = await scene.oauth.login(scene.server);
    expect(clientId).toMatch(/./);
    expect(scene.authority.requestsTo("/register")).toHaveLength(1);
    expect(await scene.oauth.headers(scene.server)).toHaveProperty("authorization");
  });

  it.each<[string, OAuthSettings]>([
    ["callbackPort", { callbackPort: 70_000 }],
    ["callbackPort", { callbackPort: 1.5 }],
    ["callbackPort", { callbackPort: -1 }],
    ["redirectUri", { redirectUri: "http://127.0.0.1:99999/cb" }],
  ])("are refused if %s has an invalid port: %j", (member, settings) => {
    expect(() => readEntrySettings(SERVER, settings)).toThrow(
      expect.objectContaining({ code: "MCP_CONFIG_INVALID", message: expect.stringContaining(member) }),
    );
  });

  it.each([70_000, 1.5, Number.NaN])(
    "the program's own callback port %d is refused as well",
    async (port) => {
      await using scene = await openScene({ oauth: { callback: { port } } });
      await expect(scene.oauth.login(scene.server)).rejects.toMatchObject({
        code: "MCP_CONFIG_INVALID",
        message: expect.stringContaining("65535"),
      });
    },
  );

  it("[T35] name an endpoint in every member that ends like one, except redirectUri", () => {
    const settings = {
      authorizationUrl: "https://as.example/authorize",
      tokenUrl: "https://as.example/token",
      token_endpoint: 1,
      issuer: "https://as.example",
      authServerMetadataUrl: 1,
      redirectUri: "x",
      clientId: "y",
    };
    const { redirectUri: _, clientId: __, ...endpoints } = settings;
    expect(ignoredEndpoints(settings, false)).toEqual(Object.keys(endpoints));
    const { authorizationUrl: ___, ...half } = settings;
    expect(ignoredEndpoints(half)).toEqual(["tokenUrl", "token_endpoint", "authServerMetadataUrl"]);
  });

  it("set host, port and path of the redirect URI", async () => {
    const redirectUri = `http://localhost:${await freePort()}/done`;
    await using scene = await openScene({ oauth: { settingsOf: () => ({ settings: { redirectUri } }) } });
    await scene.oauth.login(scene.server);
    expect(scene.authority.requestsTo("/authorize")[0]?.parameters.redirect_uri).toBe(redirectUri);
  });

  it("with an unusable redirectUri fail a challenge, but not headers()", async () => {
    const settings = { redirectUri: "https://elsewhere.example/cb" };
    await using scene = await openScene({ oauth: { settingsOf: () => ({ settings }) } });
    expect(await scene.oauth.headers(scene.server)).toEqual({});
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
      code: "MCP_CONFIG_INVALID",
      message: expect.stringContaining("redirectUri"),
    });
  });
});

describe("the callback port of an earlier login", () => {
  it("is reused with its client; if it is occupied, a new client is registered", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    await scene.oauth.login(scene.server);
    const uris = () =>
      scene.authority.requestsTo("/authorize").map(({ parameters }) => parameters.redirect_uri);
    expect(new Set(uris()).size).toBe(1);
    expect(scene.authority.requestsTo("/register")).toHaveLength(1);
    const squatter = createServer();
    await once(squatter.listen(Number(new URL(uris()[0] ?? "").port), "127.0.0.1"), "listening");
    try {
      await scene.oauth.login(scene.server);
    } finally {
      squatter.close();
    }
    expect(new Set(uris()).size).toBe(2);
    expect(scene.authority.requestsTo("/register")).toHaveLength(2);
  });
});
