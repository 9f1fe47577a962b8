import { startAuthorizationServer, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { reach } from "./request.ts";
import { openScene } from "./scene.ts";

useLeakCheck();

const HOUR_MS = 3_600_000;
const settingsOf = async () => ({ settings: { clientId: "our-client", clientSecret: "s3cret-of-ours" } });

describe("a server that names another authorization server than before", () => {
  it("gets no login of the entry's own client there, before a logout", async () => {
    await using scene = await openScene({ oauth: { settingsOf } });
    await using other = await startAuthorizationServer();
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    scene.guard({ authorizationServer: other });
    for (const oauth of [scene.oauth, scene.again()]) {
      const refused = {
        code: "MCP_AUTH_REQUIRED",
        server: "files",
        message: expect.stringMatching(
          /the client our-client .* log out of it first, then log in again\. Log in with: jackfield login files$/,
        ),
      };
      await expect(reach(oauth, scene.server)).rejects.toMatchObject(refused);
      const login = expect(oauth.login(scene.server)).rejects;
      await login.toMatchObject(refused);
      await login.toThrow(other.issuer);
      await login.toThrow(scene.authority.issuer);
    }
    expect(other.requestsTo("/authorize")).toEqual([]);
    expect(other.requestsTo("/token")).toEqual([]);
    await scene.oauth.logout(scene.server);
    await scene.oauth.login(scene.server);
    expect(other.requestsTo("/token")).toHaveLength(1);
  });

  it("gets none either after the login has ended by itself", async () => {
    await using scene = await openScene({ oauth: { settingsOf } });
    await using other = await startAuthorizationServer();
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    scene.authority.behave({ tokens: () => ({ status: 400, body: { error: "invalid_grant" } }) });
    scene.clock.now += 24 * HOUR_MS;
    await reach(scene.oauth, scene.server).catch(() => undefined);
    expect(await scene.oauth.headers(scene.server)).toEqual({});
    expect(await scene.oauth.account(scene.server)).toBeUndefined();
    scene.guard({ authorizationServer: other });
    await expect(reach(scene.again(), scene.server)).rejects.toThrow(scene.authority.issuer);
    expect(other.requestsTo("/authorize")).toEqual([]);
    expect(await scene.oauth.logout(scene.server)).toBe(true);
  });
});

describe("a server that asks for ever more scopes", () => {
  it("causes three logins an hour, then an error says what to do", async () => {
    await using scene = await openScene({ guard: { scope: "read" } });
    await reach(scene.oauth, scene.server);
    for (const scope of ["invented-1", "invented-2", "invented-3"]) {
      scene.guard({ scope });
      expect(await reach(scene.oauth, scene.server)).toBe(200);
    }
    for (const scope of ["invented-4", "invented-5"]) {
      scene.guard({ scope });
      scene.clock.now += HOUR_MS / 4;
      await expect(reach(scene.oauth, { ...scene.server })).rejects.toMatchObject({
        code: "MCP_AUTH_REQUIRED",
        httpStatus: 403,
        server: "files",
        message: expect.stringMatching(
          new RegExp(
            `3 times within an hour \\(now ${scope}\\).* Log in with: jackfield login files --scope "read invented-1 .* ${scope}"$`,
          ),
        ),
      });
    }
    expect(scene.pages).toHaveLength(4);
    scene.clock.now += HOUR_MS;
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(scene.pages).toHaveLength(5);
  });

  it("does not keep a person from logging in with more scopes", async () => {
    await using scene = await openScene({ guard: { scope: "read" } });
    await reach(scene.oauth, scene.server);
    for (const scope of ["a", "b", "c", "d"]) {
      scene.guard({ scope });
      await reach(scene.oauth, scene.server).catch(() => undefined);
    }
    await scene.oauth.login(scene.server, { scopes: ["read", "a", "b", "c", "d"] });
    expect(await reach(scene.oauth, scene.server)).toBe(200);
  });
});

describe("the account of a server", () => {
  it("is the same while tokens are renewed, and another after another login", async () => {
    await using scene = await openScene();
    expect(await scene.oauth.account(scene.server)).toBeUndefined();
    await scene.oauth.login(scene.server);
    const first = await scene.oauth.account(scene.server);
    expect(first).toEqual(expect.any(String));
    const token = await scene.oauth.headers(scene.server);
    scene.clock.now += 24 * HOUR_MS;
    expect(await scene.oauth.headers(scene.server)).not.toEqual(token);
    expect(await scene.oauth.account(scene.server)).toBe(first);
    await scene.oauth.login(scene.server);
    expect(await scene.oauth.account(scene.server)).not.toBe(first);
    await scene.oauth.logout(scene.server);
    expect(await scene.oauth.account(scene.server)).toBeUndefined();
  });
});
