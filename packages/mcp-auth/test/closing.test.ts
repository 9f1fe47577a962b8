import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { createFileVault } from "../src/index.ts";
import { startServer } from "./network/http-server.ts";
import { reach } from "./request.ts";
import { openScene, type Scene } from "./scene.ts";
import { temporaryFolder } from "./temporary-folder.ts";

useLeakCheck();

const HOUR_MS = 3_600_000;

/** A token endpoint that redeems what it is sent at once, as the one behind it does, and answers when it is told to. */
async function startSlowEndpoint() {
  const redeemed = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  let behind = "";
  const server = await startServer(async (_request, response) => {
    const body = new URLSearchParams(server.received.at(-1)?.body);
    const answer = await fetch(behind, { method: "POST", body });
    const tokens = await answer.text();
    redeemed.resolve();
    await told.promise;
    response.writeHead(answer.status, { "content-type": "application/json" }).end(tokens);
  });
  return {
    standBefore({ authority }: Scene) {
      behind = `${authority.issuer}/token`;
      authority.behave({ metadata: { token_endpoint: `${server.origin}/token` } });
    },
    redeemed: redeemed.promise,
    answer: told.resolve,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describe("closing while a token is being renewed", () => {
  it.each([
    ["before it expires, which nobody waits for", HOUR_MS - 60_000],
    ["after it has expired", HOUR_MS],
  ])(
    "%s, does not lose the login: what the spent refresh token has brought is stored",
    async (_, aheadMs) => {
      using folder = temporaryFolder();
      await using slow = await startSlowEndpoint();
      await using scene = await openScene({
        isUnattended: true,
        oauth: { vault: createFileVault({ directory: folder.path }) },
      });
      await scene.oauth.login(scene.server, { authorize: async (url) => void (await fetch(url)) });
      slow.standBefore(scene);
      scene.clock.now += aheadMs;
      const headers = scene.oauth.headers(scene.server);
      await slow.redeemed;
      const closed = scene.oauth.close();
      slow.answer();
      await closed;
      expect(await headers).toHaveProperty("authorization");
      scene.authority.behave({});
      scene.authority.office.expireAccessTokens();
      expect(await reach(scene.again(), scene.server)).toBe(200);
      expect(scene.authority.office.replays).toBe(0);
    },
  );

  it.each([0, 1])(
    "gives it up if the refresh token has not been sent, after %d that were",
    async (before) => {
      await using scene = await openScene({ isUnattended: true });
      await scene.oauth.login(scene.server, { authorize: async (url) => void (await fetch(url)) });
      const reading = Promise.withResolvers<void>();
      const settings = Promise.withResolvers<undefined>();
      let isAsked = false;
      const oauth = scene.again({
        settingsOf: () => {
          if (!isAsked) return undefined;
          reading.resolve();
          return settings.promise;
        },
      });
      scene.clock.now += before * HOUR_MS;
      await oauth.headers(scene.server);
      isAsked = true;
      scene.clock.now += HOUR_MS;
      const headers = oauth.headers(scene.server);
      await reading.promise;
      await oauth.close();
      settings.resolve(undefined);
      await headers;
      const grants = scene.authority.requestsTo("/token").map(({ parameters }) => parameters.grant_type);
      expect(grants).toEqual(["authorization_code", ...Array(before).fill("refresh_token")]);
      expect(scene.said).toEqual([]);
    },
  );
});
