import { once } from "node:events";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterEach, describe, expect, test, vi } from "vitest";
import { openCallbackServer } from "../../src/callback/callback-server.ts";
import { createState } from "../../src/callback/state.ts";
import { hit } from "./request.ts";
import { EXPECTED, openWaiting, SUBJECT } from "./waiting-server.ts";

useLeakCheck();
afterEach(() => vi.useRealTimers());

describe("only one answer", () => {
  test("[T37] is taken: afterwards nobody listens", async () => {
    const { uri, good, answer } = await openWaiting();
    await hit(uri, good);
    await answer;
    await expect(hit(uri, good)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  test("[T37] of two that come at once is taken", async () => {
    const { uri, good, state, answer } = await openWaiting();
    const other = `/callback?code=other&state=${state.value}`;
    const pages = await Promise.allSettled([hit(uri, good), hit(uri, other)]);
    expect(pages.filter((page) => page.status === "fulfilled" && page.value.status === 200)).toHaveLength(1);
    expect(["the-code", "other"]).toContain((await answer).code);
  });

  test("[T37] is taken by the login it belongs to: two beside each other cannot be swapped", async () => {
    const one = await openWaiting();
    const two = await openWaiting();
    expect((await hit(one.uri, two.good)).status).toBe(400);
    expect((await hit(two.uri, one.good)).status).toBe(400);
    expect((await hit(one.uri, one.good)).status).toBe(200);
    expect((await hit(two.uri, two.good)).status).toBe(200);
    expect([await one.answer, await two.answer]).toEqual([EXPECTED, EXPECTED]);
  });

  test("is waited for: a second wait is refused, and one that was not begun takes none", async () => {
    await using server = await openCallbackServer();
    const state = createState(SUBJECT);
    expect((await hit(server.redirectUri, `/callback?code=c&state=${state.value}`)).status).toBe(400);
    const answer = server.expect(state);
    await expect(server.expect(createState(SUBJECT))).rejects.toMatchObject({ code: "MCP_INTERNAL" });
    await hit(server.redirectUri, `/callback?code=c&state=${state.value}`);
    expect(await answer).toEqual({ code: "c" });
  });
});

describe("the wait ends", () => {
  test.each([
    [undefined, 300_000],
    [1_000, 1_000],
    [3_600_000, 300_000],
  ])("[T38] after five minutes at most: %s asked for", async (timeoutMs, endsAfterMs) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { uri, answer, good } = await openWaiting({ timeoutMs });
    let isOver = false;
    const outcome = expect(answer.finally(() => (isOver = true))).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
    });
    await vi.advanceTimersByTimeAsync(endsAfterMs - 1);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await outcome;
    vi.useRealTimers();
    await expect(hit(uri, good)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  test("with the caller's signal, before or while it lasts", async () => {
    const giveUp = new AbortController();
    const { uri, answer, good } = await openWaiting({ signal: giveUp.signal });
    giveUp.abort();
    await expect(answer).rejects.toMatchObject({ code: "MCP_ABORTED" });
    await expect(hit(uri, good)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await expect(openCallbackServer({ signal: giveUp.signal })).rejects.toMatchObject({
      code: "MCP_ABORTED",
    });
  });

  test("when the server is closed, however often", async () => {
    const { server, answer } = await openWaiting();
    await Promise.all([server.close(), server.close()]);
    await server.close();
    await expect(answer).rejects.toMatchObject({ code: "MCP_CLOSED" });
  });
});

test("[T38] it is reached over 127.0.0.1 and over no other address of this machine", async () => {
  const { uri } = await openWaiting();
  const port = Number(new URL(uri).port);
  const others = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const hosts = [
    "127.0.0.2",
    "::1",
    ...others.filter(({ internal }) => !internal).map(({ address }) => address),
  ];
  for (const host of hosts.filter((host) => !host.startsWith("fe80"))) {
    const socket = connect({ host, port });
    await expect(once(socket, "connect"), host).rejects.toThrow();
  }
});

test("[T39] nothing listens before a login, one port does while it lasts, and nothing afterwards", async () => {
  const listeners = () =>
    process.getActiveResourcesInfo().filter((resource) => resource === "TCPServerWrap").length;
  const before = listeners();
  const { uri, good, answer, server } = await openWaiting();
  expect(listeners()).toBe(before + 1);
  await hit(uri, good);
  await answer;
  await server.close();
  expect(listeners()).toBe(before);
});
