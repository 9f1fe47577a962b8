import { channel } from "node:diagnostics_channel";
import type { ServerResponse } from "node:http";
import type { AuthPort } from "@jackfield/mcp-core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { connect } from "../connecting.ts";
import { type HttpExchange, startHttpServer } from "../http-server.ts";
import { ECHO } from "./remote.ts";

const VERSION = "2026-07-28";
const INFO = { name: "modern", version: "1.0.0" };
const DISCOVERED = {
  resultType: "complete",
  supportedVersions: [VERSION],
  capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
  serverInfo: INFO,
  ttlMs: 1000,
  cacheScope: "private",
  _meta: { "io.modelcontextprotocol/serverInfo": INFO },
};

/** Starts a server that requires a token for the methods in `guarded` and grants every subscription. */
async function startGuarded(
  guarded: readonly string[],
  onCall: (answer: () => void) => void = (answer) => answer(),
  onListen: (exchange: HttpExchange) => boolean = () => false,
) {
  let token = "old";
  let stream: ServerResponse | undefined;
  let refused = 0;
  let listens = 0;
  const listen = (exchange: HttpExchange) => {
    listens += 1;
    if (onListen(exchange)) return;
    const { message, response } = exchange;
    stream = response;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const _meta = { "io.modelcontextprotocol/subscriptionId": message.id };
    const params = { _meta, notifications: message.params.notifications };
    const method = "notifications/subscriptions/acknowledged";
    response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", method, params })}\n\n`);
  };
  const server = await startHttpServer((exchange) => {
    const { message, request, answer, status } = exchange;
    const isGood = request.headers.authorization === `Bearer ${token}`;
    if (guarded.includes(message?.method) && !isGood) {
      refused += 1;
      status(401, { "www-authenticate": "Bearer" });
    } else if (message?.method === "subscriptions/listen") listen(exchange);
    else if (message?.method === "server/discover") answer(DISCOVERED);
    else if (message?.method === "tools/call") onCall(() => answer({ resultType: "complete", content: [] }));
    else return false;
    return true;
  });
  return {
    ...server,
    refused: () => refused,
    isListening: () => stream !== undefined,
    listens: () => listens,
    /** Writes to the latest subscription. */
    say: (text: string) => void stream?.write(text),
    /** Requires another token from now on, and breaks off the subscription. */
    expire() {
      token = "new";
      refused = 0;
      stream?.destroy();
    },
  };
}

/** An auth port with the token `first`, and after a challenge with what `next` returns. */
function renewing(first: string, next: () => Promise<string | undefined>) {
  let token = first;
  const onChallenge = vi.fn<AuthPort["onChallenge"]>(async () => {
    const granted = await next();
    token = granted ?? token;
    return granted === undefined ? "fail" : "retry";
  });
  return { headers: async () => ({ authorization: `Bearer ${token}` }), onChallenge };
}

const LISTEN = "subscriptions/listen";
const CHANGED = "notifications/tools/list_changed";

/** Where undici tells of each piece of a body: nothing else shows that a comment has arrived. */
const CHUNKS = channel("undici:request:bodyChunkReceived");

const until = (isSo: () => boolean) => vi.waitUntil(isSo);

describe("a subscription to a modern server that breaks off", () => {
  test.each([
    ["fails", () => Promise.reject(new Error("Nobody is there."))],
    ["is declined", async () => undefined],
    ["would succeed", async () => "new"],
  ])("starts no login for an expired token, where a login %s", async (_, next) => {
    const server = await startGuarded([LISTEN]);
    const auth = renewing("old", next);
    const log = vi.fn();
    await connect(server, { auth, log });
    await until(server.isListening);
    server.expire();
    await until(() => log.mock.calls.length > 0);
    expect(log.mock.lastCall?.at(2)).toEqual({ server: "remote", error: "HTTP 401" });
    expect(server.refused()).toBe(1);
    expect(auth.onChallenge).not.toHaveBeenCalled();
  });

  test("is granted again after a call has renewed the token", async () => {
    const server = await startGuarded([LISTEN, "tools/call"]);
    const auth = renewing("old", async () => "new");
    const session = await connect(server, { auth });
    await until(server.isListening);
    const renewed = new Promise<void>((resolve) => session.onRenewed(resolve));
    server.expire();
    await until(() => server.refused() > 0);
    await session.request("tools/call", ECHO);
    await renewed;
    expect(auth.onChallenge).toHaveBeenCalledTimes(1);
  });

  test("is granted again while the call that renewed the token is still running", async () => {
    const granted = Promise.withResolvers<void>();
    const server = await startGuarded([LISTEN, "tools/call"], (answer) => void granted.promise.then(answer));
    const auth = renewing("old", async () => "new");
    const log = vi.fn();
    const session = await connect(server, { auth, log });
    await until(server.isListening);
    session.onRenewed(granted.resolve);
    server.expire();
    await until(() => log.mock.calls.length > 0);
    await session.request("tools/call", ECHO);
    expect(auth.onChallenge).toHaveBeenCalledTimes(1);
  });

  test("is requested again after a gateway refuses it once with 404", async () => {
    let listens = 0;
    const server = await startGuarded([], undefined, ({ status }) => {
      listens += 1;
      if (listens !== 2) return false;
      status(404, { "content-type": "text/plain" }, "404 page not found\n");
      return true;
    });
    const session = await connect(server);
    await until(server.isListening);
    const renewed = new Promise<void>((resolve) => session.onRenewed(resolve));
    server.expire();
    await renewed;
    expect(listens).toBe(3);
  });

  test("renews the token when a resource subscription needs it", async () => {
    const server = await startGuarded([LISTEN]);
    const auth = renewing("old", async () => "new");
    const session = await connect(server, { auth });
    await until(server.isListening);
    server.expire();
    expect(await session.request("resources/subscribe", { uri: "memo://a" })).toEqual({});
    expect(auth.onChallenge).toHaveBeenCalledTimes(1);
  });
});

describe("the stream of a subscription", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] }));
  afterEach(() => void vi.useRealTimers());

  /** Connects, waits for the subscription, and returns what its stream brings and whether it was restored. */
  async function subscribe(request?: "resources/subscribe") {
    const server = await startGuarded([]);
    const session = await connect(server);
    await until(server.isListening);
    if (request) await session.request(request, { uri: "memo://a" });
    const restored = new Promise<void>((resolve) => session.onRenewed(resolve));
    /** Sends a text, and waits until it has arrived. */
    const say = (text: string) => {
      const arrived = new Promise<void>((resolve) => {
        const check = (received: unknown) => {
          if (!String((received as { readonly chunk: Buffer }).chunk).endsWith(text)) return;
          CHUNKS.unsubscribe(check);
          resolve();
        };
        CHUNKS.subscribe(check);
      });
      server.say(text);
      return arrived;
    };
    return { server, restored, say };
  }

  test.each([undefined, "resources/subscribe"] as const)(
    "[R29] is replaced when its regular comments stop (requested by %s)",
    async (request) => {
      const { server, restored, say } = await subscribe(request);
      const before = server.listens();
      for (let count = 0; count < 4; count += 1) {
        vi.advanceTimersByTime(10_000);
        await say(": beat\n\n");
      }
      vi.advanceTimersByTime(45_000);
      await restored;
      expect(server.listens()).toBe(before + 1);
    },
  );

  test("[R29] is kept when notifications that came at regular intervals stop", async () => {
    const { server, restored, say } = await subscribe();
    const onRestored = vi.fn();
    void restored.then(onRestored);
    for (let count = 0; count < 4; count += 1) {
      vi.advanceTimersByTime(10_000);
      await say(`data: ${JSON.stringify({ jsonrpc: "2.0", method: CHANGED })}\n\n`);
    }
    const before = server.listens();
    vi.advanceTimersByTime(600_000);
    await say(": still there\n\n");
    expect(onRestored).not.toHaveBeenCalled();
    expect(server.listens()).toBe(before);
  });

  test("[R30] is replaced after the machine was asleep", async () => {
    const { server, restored } = await subscribe();
    vi.setSystemTime(Date.now() + 120_000);
    vi.advanceTimersByTime(5000);
    await restored;
    expect(server.listens()).toBe(2);
  });
});

test.each([
  ["fails", () => Promise.reject(new Error("Nobody is there."))],
  ["is declined", async () => undefined],
])("the first subscription to a modern server starts only one login, which %s", async (_, next) => {
  const server = await startGuarded([LISTEN]);
  const auth = renewing("none", next);
  const log = vi.fn();
  const session = await connect(server, { auth, log });
  await until(() => log.mock.calls.length === 1);
  await session.request("tools/call", ECHO);
  await until(() => log.mock.calls.length === 2);
  expect(server.refused()).toBe(2);
  expect(auth.onChallenge).toHaveBeenCalledTimes(1);
});
