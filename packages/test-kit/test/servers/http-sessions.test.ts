import { describe, expect, test } from "vitest";
import { MODERN_META, startRawHttp } from "./raw-http.ts";

const MODERN_HEADER = { "mcp-protocol-version": "2026-07-28" };

test.each([{ sessionId: "with a space" }, { sessionId: "\u00e9\u00ff" }, { sessionId: "x".repeat(4000) }])(
  "a session can have an invalid id: $sessionId",
  async ({ sessionId }) => {
    const { openSession, call, server } = await startRawHttp({ sessionId });
    const session = await openSession();
    expect(session).toEqual({ "mcp-session-id": sessionId });
    expect(server.sessions).toEqual([sessionId]);
    expect((await call(1, {}, session)).status).toBe(200);
  },
);

test("every answer can name another session id", async () => {
  const { openSession, call } = await startRawHttp({ sessionIdChanges: true });
  const session = await openSession();
  const answers = await Promise.all([1, 2].map((id) => call(id, {}, session)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const named = answers.map(({ headers }) => headers.get("mcp-session-id"));
  expect(named).not.toContain(null);
  expect(new Set([...named, session["mcp-session-id"]]).size).toBe(3);
});

test("each request records its connection, and connections are counted", async () => {
  const { call, server } = await startRawHttp({ sessionless: true, silentOn: ["tools/call"] });
  for (const id of [1, 2]) {
    void call(id).catch(() => {}); // it is never answered, so the next one needs a connection of its own
    await server.received(({ body }) => body?.id === id);
  }
  expect(server.requests.map(({ connection }) => connection)).toEqual([0, 1]);
  expect(server.connectionCount).toBe(2);
});

describe("the record of specification violations", () => {
  test("is empty for a correct client", async () => {
    const { openSession, post, call, get, server } = await startRawHttp();
    const headers = { ...(await openSession()), "mcp-protocol-version": "2025-11-25" };
    await post({ method: "notifications/initialized" }, headers);
    await call(1, {}, headers);
    await get(headers);
    await fetch(server.url, { method: "DELETE", headers });
    await post({ id: 1, method: "ping", params: { _meta: MODERN_META } }, MODERN_HEADER);
    expect(server.violations).toEqual([]);
  });

  test("names missing and contradictory headers", async () => {
    const { post, server } = await startRawHttp({ sessionless: true });
    const ping = (headers: Record<string, string>) => post({ id: 1, method: "ping" }, headers);
    await ping({ accept: "application/json" });
    await ping({ "content-type": "text/plain" });
    await ping({ "mcp-protocol-version": "2025-11-25" });
    await post({ id: 1, method: "ping", params: { _meta: MODERN_META } });
    expect(server.violations).toEqual([
      "POST ping does not accept text/event-stream.",
      "POST ping has the content type text/plain.",
      "POST ping names version 2025-11-25, which was not agreed.",
      "POST ping says version 2026-07-28 and in its headers undefined.",
    ]);
  });

  test("names an early or missing protocol version and an early GET stream", async () => {
    const { post, get, call, openSession, server } = await startRawHttp();
    await post({ id: 0, method: "initialize" }, MODERN_HEADER);
    const session = await openSession();
    await get({ ...session, "mcp-protocol-version": "2025-11-25" });
    await post({ method: "notifications/initialized" }, session);
    await call(1, {}, session);
    expect(server.violations).toEqual([
      "POST initialize names a protocol version before one was agreed.",
      "GET came before the handshake.",
      "POST notifications/initialized names no protocol version.",
      "POST tools/call names no protocol version.",
    ]);
  });

  test("names a request id used twice in a session", async () => {
    const { call, openSession, server } = await startRawHttp();
    const headers = { ...(await openSession()), "mcp-protocol-version": "2025-11-25" };
    for (const id of [1, 2, 1]) await call(id, {}, headers);
    expect(server.violations).toEqual(["POST tools/call uses the id 1 a second time."]);
  });
});
