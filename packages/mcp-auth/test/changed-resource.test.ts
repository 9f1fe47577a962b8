import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { reach } from "./request.ts";
import { openScene, type Scene } from "./scene.ts";

useLeakCheck();

const refreshesOf = ({ authority }: Scene) =>
  authority.requestsTo("/token").filter(({ parameters }) => parameters.grant_type === "refresh_token");

describe("a login whose server now advertises another resource", () => {
  it("[T33] is replaced by a new login, and its refresh token is not redeemed", async () => {
    await using scene = await openScene();
    const { origin } = new URL(scene.server.url);
    scene.guard({ metadata: { resource: `${origin}/` } });
    await reach(scene.oauth, scene.server);
    scene.guard({ metadata: { resource: scene.server.url } });
    scene.authority.office.expireAccessTokens();
    scene.clock.now += 60_000;
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    const resources = scene.authority.requestsTo("/token").map(({ parameters }) => parameters.resource);
    expect(resources).toEqual([`${origin}/`, scene.server.url]);
    expect(refreshesOf(scene)).toEqual([]);
    expect(scene.pages).toHaveLength(2);
    expect((await scene.vault.forServer(scene.server.url))?.resource).toBe(scene.server.url);
  });

  it("[T33] counts as missing when unattended, and is not renewed", async () => {
    await using scene = await openScene({ isUnattended: true });
    const { origin } = new URL(scene.server.url);
    scene.guard({ metadata: { resource: `${origin}/` } });
    await scene.oauth.login(scene.server, { authorize: async (url) => void (await fetch(url)) });
    scene.guard({ metadata: { resource: scene.server.url } });
    scene.authority.office.expireAccessTokens();
    scene.clock.now += 60_000;
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      message: expect.stringContaining("it requires a login. Log in with: jackfield login files"),
    });
    expect(refreshesOf(scene)).toEqual([]);
  });

  it("[T42] fails without another page if the resource changes right after the login", async () => {
    await using scene = await openScene();
    const { origin } = new URL(scene.server.url);
    await reach(scene.oauth, scene.server);
    scene.guard({ metadata: { resource: `${origin}/` } });
    scene.authority.office.expireAccessTokens();
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      message: expect.stringContaining("the login that was just completed"),
    });
    expect(scene.pages).toHaveLength(1);
  });
});
