import { once } from "node:events";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterEach, describe, expect, test, vi } from "vitest";
import { openCallbackServer } from "../../src/callback/callback-server.ts";
import { hit } from "./request.ts";
import { EXPECTED, openWaiting, SUBJECT } from "./waiting-server.ts";

useLeakCheck();
afterEach(() => vi.useRealTimers());

describe("the callback server", () => {
  test("[T37] stops listening after the first response", async () => {
    const { uri, good, answer } = await openWaiting();
    await hit(uri, good);
    await answer;
    await expect(hit(uri, good)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  test("[T37] accepts only one of two simultaneous responses", async () => {
    const { uri, good, state, answer } = await openWaiting();
    const other = `/callback?code=other&state=${state}`;
    const pages = await Promise.allSettled([hit(uri, good), hit(uri, other)]);
    expect(pages.filter((page) => page.status === "fulfilled" && page.value.status === 200)).toHaveLength(1);
    expect(["the-code", "other"]).toContain((await answer).code);
  });

  test("[T37] accepts only the response to its own login", async () => {
    const one = await openWaiting();
    const two = await openWaiting();
    expect((await hit(one.uri, two.good)).status).toBe(400);
    expect((await hit(two.uri, one.good)).status).toBe(400);
    expect((await hit(one.uri, one.good)).status).toBe(200);
    expect((await hit(two.uri, two.good)).status).toBe(200);
    expect([await one.answer, await two.answer]).toEqual([EXPECTED, EXPECTED]);
  });

  test("refuses a response before the wait, and a second wait", async () => {
    await using server = await openCallbackServer();
    const { state } = server;
    expect((await hit(server.redirectUri, `/callback?code=c&state=${state}`)).status).toBe(400);
    const answer = server.expect(SUBJECT);
    await expect(server.expect(SUBJECT)).rejects.toMatchObject({ code: "MCP_INTERNAL" });
    await hit(server.redirectUri, `/callback?code=c&state=${state}`);
    expect(await answer).toEqual({ code: "c" });
  });
});

test("[T37] a state is 256 bits in URL-safe characters, never repeats, and is too old after ten minutes", async () => {
  const logins = await Promise.all([openWaiting(), openWaiting()]);
  for (const { state } of logins) {
    expect(state).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(state, "base64url")).toHaveLength(32);
  }
  const [one, two] = logins;
  expect(one.state).not.toBe(two.state);
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Date.now() + 600_001);
  expect((await hit(one.uri, one.good)).status).toBe(400);
  vi.setSystemTime(Date.now() - 10);
  expect((await hit(one.uri, one.good)).status).toBe(200);
});

describe("the wait ends", () => {
  test.each([
    [undefined, 300_000],
    [1_000, 1_000],
    [3_600_000, 300_000],
  ])("[T38] after five minutes at most, with timeoutMs %s", async (timeoutMs, endsAfterMs) => {
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

  test("when the caller's signal aborts, before or during it", async () => {
    const giveUp = new AbortController();
    const { uri, answer, good } = await openWaiting({ signal: giveUp.signal });
    giveUp.abort();
    await expect(answer).rejects.toMatchObject({ code: "MCP_ABORTED" });
    await expect(hit(uri, good)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await expect(openCallbackServer({ signal: giveUp.signal })).rejects.toMatchObject({
      code: "MCP_ABORTED",
    });
  });

  test("when the server is closed, even several times", async () => {
    const { server, answer } = await openWaiting();
    await Promise.all([server.close(), server.close()]);
    await server.close();
    await expect(answer).rejects.toMatchObject({ code: "MCP_CLOSED" });
  });
});

test("[T38] the callback server is not reachable at any address but 127.0.0.1", async () => {
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

test("[T39] one port listens while a login lasts, and none before or after", async () => {
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
