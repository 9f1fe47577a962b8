import { expect, test } from "vitest";
import { startHttpFaultServer } from "../../src/servers/http-fault-server.ts";
import { collected, MODERN_META, messagesOf, startRawHttp } from "./raw-http.ts";

const LIST_CHANGED = { method: "notifications/tools/list_changed" };

test("a server without faults opens a session and serves it in JSON", async () => {
  const { server, post, call, openSession } = await startRawHttp();
  const session = await openSession();
  expect(server.sessions).toEqual([session["mcp-session-id"]]);
  const response = await call(1, { a: 1 }, session);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(await response.json()).toMatchObject({ id: 1, result: { content: [{ text: '{"a":1}' }] } });
  const notified = await post({ method: "notifications/initialized" }, session);
  expect([notified.status, await notified.text()]).toEqual([202, ""]);
  expect(server.requests.map(({ method, body }) => [method, body?.method])).toEqual([
    ["POST", "initialize"],
    ["POST", "tools/call"],
    ["POST", "notifications/initialized"],
  ]);
  expect(server.requests[1]?.headers).toMatchObject(session);
});

test("answers can be event streams, with progress before the answer", async () => {
  const { post, openSession } = await startRawHttp({ answer: "sse", progress: 2 });
  const params = { name: "echo", _meta: { progressToken: 1 } };
  const response = await post({ id: 1, method: "tools/call", params }, await openSession());
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const messages = await collected(messagesOf(response));
  expect(messages.map(({ method, id }) => method ?? id)).toEqual([
    "notifications/progress",
    "notifications/progress",
    1,
  ]);
});

test("forgetSessions ends the streams and answers 404 until a new session is opened", async () => {
  const { server, call, get, openSession } = await startRawHttp();
  const session = await openSession();
  const stream = await get(session);
  server.forgetSessions();
  expect(await collected(messagesOf(stream))).toEqual([]);
  const refused = await call(1, {}, session);
  expect([refused.status, await refused.text()]).toEqual([404, "Session not found"]);
  const answered = await call(2, {}, await openSession());
  expect(await answered.json()).toMatchObject({ result: {} });
});

test("a request without its session id gets a 400", async () => {
  const { call } = await startRawHttp();
  const refused = await call(1);
  expect([refused.status, await refused.text()]).toEqual([400, "Mcp-Session-Id is required"]);
});

test("a server can run without sessions", async () => {
  const { call, openSession } = await startRawHttp({ sessionless: true });
  expect(await openSession()).toEqual({ "mcp-session-id": "" });
  expect(await (await call(1)).json()).toMatchObject({ result: {} });
});

test("a silent method stays unanswered until the server closes", async () => {
  const { server, call } = await startRawHttp({ silentOn: ["tools/call"], sessionless: true });
  const failing = expect(call(1)).rejects.toThrow("fetch failed");
  await server.received(({ body }) => body?.method === "tools/call");
  await server.close();
  await failing;
});

test("the GET stream carries the server's notifications", async () => {
  const { server, call, get, openSession } = await startRawHttp({ listChangedAfterCall: true });
  const session = await openSession();
  const stream = messagesOf(await get(session));
  await call(1, {}, session);
  expect((await stream.next()).value).toMatchObject(LIST_CHANGED);
  server.notify({ method: "notifications/message", params: { level: "info", data: "hello" } });
  expect((await stream.next()).value).toMatchObject({ method: "notifications/message" });
});

test("notifications wait for the first GET stream", async () => {
  const { call, get, openSession } = await startRawHttp({ listChangedAfterCall: true });
  const session = await openSession();
  await call(1, {}, session);
  expect((await messagesOf(await get(session)).next()).value).toMatchObject(LIST_CHANGED);
});

test("DELETE ends a session, and a late DELETE does not keep the server from closing", async () => {
  const { server, openSession } = await startRawHttp();
  const session = await openSession();
  const deleted = await fetch(server.url, { method: "DELETE", headers: session });
  expect([deleted.status, await deleted.text(), server.sessions]).toEqual([204, "", []]);

  server.setScript({ on: { DELETE: { lateMs: 600_000 } } });
  const headers = await openSession();
  const failing = expect(fetch(server.url, { method: "DELETE", headers })).rejects.toThrow("fetch failed");
  await server.until(() => server.requests.filter(({ method }) => method === "DELETE").length === 2);
  await server.close();
  await failing;
});

test("a modern client gets list_changed on the subscription it opened", async () => {
  const { post } = await startRawHttp({ era: "modern", listChangedAfterCall: true });
  const params = { _meta: MODERN_META, notifications: { toolsListChanged: true } };
  const stream = messagesOf(await post({ id: "s", method: "subscriptions/listen", params }));
  expect((await stream.next()).value).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
  const call = await post({ id: 1, method: "tools/call", params: { name: "echo", _meta: MODERN_META } });
  expect(await call.json()).toMatchObject({ result: { resultType: "complete" } });
  expect((await stream.next()).value).toMatchObject({
    ...LIST_CHANGED,
    params: { _meta: { "io.modelcontextprotocol/subscriptionId": "s" } },
  });
});

test("the script can be replaced while the server runs", async () => {
  const script = { sessionless: true };
  const { server, call } = await startRawHttp({
    ...script,
    errorOn: { "tools/call": { code: -1, message: "No." } },
  });
  expect(await (await call(1)).json()).toMatchObject({ error: { code: -1 } });
  server.setScript(script);
  expect(await (await call(2)).json()).toMatchObject({ result: {} });
});

test("a body that is not JSON ends its own connection only", async () => {
  const { server, openSession } = await startRawHttp();
  await expect(fetch(server.url, { method: "POST", body: "{" })).rejects.toThrow("fetch failed");
  expect((await openSession())["mcp-session-id"]).not.toBe("");
});

test("an HTTP method that MCP does not use gets a 405", async () => {
  const { server } = await startRawHttp();
  expect((await fetch(server.url, { method: "PUT", body: "{}" })).status).toBe(405);
});

test("a server can be closed twice and started again on the same port", async () => {
  const { server } = await startRawHttp();
  const { port, href } = new URL(server.url);
  await Promise.all([server.close(), server[Symbol.asyncDispose]()]);
  await expect(fetch(href)).rejects.toThrow("fetch failed");
  await using again = await startHttpFaultServer({}, { port: Number(port) });
  expect(again.url).toBe(href);
});
