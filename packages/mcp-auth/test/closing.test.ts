import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { createFileVault } from "../src/index.ts";
import { startServer } from "./network/http-server.ts";
import { reach } from "./request.ts";
import { openScene, type Scene } from "./scene.ts";
import { temporaryFolder } from "./temporary-folder.ts";

useLeakCheck();

const HOUR_MS = 3_600_000;

/** A token endpoint that passes each request on to the real one, and holds its answer back until `answer` is called. */
async function startSlowEndpoint() {
  const redeemed = Promise.withResolvers<void>();
  const answerReleased = Promise.withResolvers<void>();
  let realEndpoint = "";
  const server = await startServer(async (_request, response) => {
    const body = new URLSearchParams(server.received.at(-1)?.body);
    const answer = await fetch(realEndpoint, { method: "POST", body });
    const tokens = await answer.text();
    redeemed.resolve();
    await answerReleased.promise;
    response.writeHead(answer.status, { "content-type": "application/json" }).end(tokens);
  });
  return {
    placeBefore({ authority }: Scene) {
      realEndpoint = `${authority.issuer}/token`;
      authority.behave({ metadata: { token_endpoint: `${server.origin}/token` } });
    },
    redeemed: redeemed.promise,
    answer: answerReleased.resolve,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describe("closing while a token is being renewed", () => {
  it.each([
    ["ahead of its expiry", HOUR_MS - 60_000],
    ["after its expiry", HOUR_MS],
  ])("%s still stores the new tokens", async (_, aheadMs) => {
    using folder = temporaryFolder();
    await using slow = await startSlowEndpoint();
    await using scene = await openScene({
      isUnattended: true,
      oauth: { vault: createFileVault({ directory: folder.path }) },
    });
    await scene.oauth.login(scene.server, { authorize: async (url) => void (await fetch(url)) });
    slow.placeBefore(scene);
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
  });

  it.each([0, 1])(
    "cancels the renewal if its refresh token is not sent yet, after %d earlier renewals",
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
