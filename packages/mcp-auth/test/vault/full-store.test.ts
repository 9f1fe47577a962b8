import { randomBytes } from "node:crypto";
import {
  startAuthorizationServer,
  startProtectedServer,
  startRealStore,
  useLeakCheck,
} from "@jackfield/test-kit";
import KeyvRedis from "@keyv/redis";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { createOAuth, keyvTokenVault } from "../../src/index.ts";
import { reach, remoteServer } from "../request.ts";

useLeakCheck();

const redis = await startRealStore("redis");
afterAll(() => redis?.[Symbol.asyncDispose]());

it.skipIf(redis === undefined)(
  "[T40] a full store is not written to, so nothing is redeemed, and what an emptied one has lost is asked for again",
  async () => {
    await using authority = await startAuthorizationServer();
    await using guarded = await startProtectedServer({ authorizationServer: authority });
    const key = randomBytes(32);
    const [adapter, other] = [new KeyvRedis(redis?.url ?? ""), new KeyvRedis(redis?.url ?? "")];
    onTestFinished(async () => void (await Promise.all([adapter.disconnect(), other.disconnect()])));
    const vault = keyvTokenVault(adapter, { key });
    await using oauth = createOAuth({ vault, authorize: async (url) => void (await fetch(url)) });
    await using elsewhere = createOAuth({ vault: keyvTokenVault(other, { key }) });
    const server = remoteServer(guarded.url);
    const redemptions = () =>
      authority.requestsTo("/token").filter(({ parameters }) => parameters.grant_type === "refresh_token")
        .length;
    const client = (await adapter.getClient()) as unknown as {
      sendCommand(args: readonly string[]): Promise<unknown>;
    };
    await oauth.login(server, { principal: "ann" });
    expect(await reach(oauth, server, "ann")).toBe(200);

    await client.sendCommand(["CONFIG", "SET", "maxmemory", "1"]);
    authority.office.expireAccessTokens();
    await expect(reach(oauth, server, "ann")).rejects.toMatchObject({ code: "MCP_STORAGE_FAILED" });
    expect(redemptions()).toBe(0);
    await client.sendCommand(["CONFIG", "SET", "maxmemory", "0"]);
    expect(await reach(oauth, server, "ann")).toBe(200);
    expect(redemptions()).toBe(1);

    expect(await reach(elsewhere, server, "ann")).toBe(200);
    await client.sendCommand(["FLUSHALL"]);
    authority.office.expireAccessTokens();
    await expect(reach(elsewhere, server, "ann")).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    await oauth.login(server, { principal: "ann" });
    expect(await reach(elsewhere, server, "ann")).toBe(200);
    expect([redemptions(), authority.office.replays]).toEqual([1, 0]);
  },
);
