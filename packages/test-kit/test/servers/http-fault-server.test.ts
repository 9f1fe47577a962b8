import { afterEach, beforeEach, expect, test } from "vitest";
import { useLeakCheck } from "../../src/leak-check.ts";
import type { HttpFaultScript } from "../../src/servers/fault-script.ts";
import { type HttpFaultServer, startHttpFaultServer } from "../../src/servers/http-fault-server.ts";
import type { RpcMessage } from "../../src/servers/rpc-message.ts";

useLeakCheck();

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

let server: HttpFaultServer;
let given: AbortController;
beforeEach(() => {
  given = new AbortController();
});
afterEach(async () => {
  given.abort();
  await server.close();
});

async function start(script: HttpFaultScript = {}): Promise<void> {
  server = await startHttpFaultServer(script);
}

function post(message: Omit<RpcMessage, "jsonrpc">, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(server.url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    signal: given.signal,
  });
}

async function openSession(): Promise<Record<string, string>> {
  const response = await post({ id: 0, method: "initialize", params: { protocolVersion: "2025-11-25" } });
  await response.text();
  return { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
}

/** The messages of an event stream, one at a time. */
async function* events(response: Response): AsyncGenerator<RpcMessage> {
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = `${text}${chunk}`.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) yield JSON.parse(block.slice(block.indexOf("data: ") + 6)) as RpcMessage;
  }
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test("a server without faults opens a session and serves it in JSON", async () => {
  await start();
  const session = await openSession();
  expect(server.sessions).toEqual([session["mcp-session-id"]]);
  const response = await post(
    { id: 1, method: "tools/call", params: { name: "echo", arguments: { a: 1 } } },
    session,
  );
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
  await start({ answer: "sse", progress: 2 });
  const session = await openSession();
  const response = await post(
    { id: 1, method: "tools/call", params: { name: "echo", _meta: { progressToken: 1 } } },
    session,
  );
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const messages = await collected(events(response));
  expect(messages.map(({ method, id }) => method ?? id)).toEqual([
    "notifications/progress",
    "notifications/progress",
    1,
  ]);
});

test("sessions that are forgotten answer 404 and end their streams, and a new one can be opened", async () => {
  await start();
  const session = await openSession();
  const stream = await fetch(server.url, { headers: session, signal: given.signal });
  server.forgetSessions();
  expect(await collected(events(stream))).toEqual([]);
  const refused = await post({ id: 1, method: "ping" }, session);
  expect([refused.status, await refused.text()]).toEqual([404, "Session not found"]);
  const answered = await post({ id: 2, method: "ping" }, await openSession());
  expect(await answered.json()).toMatchObject({ result: {} });
});

test("a request without the session it needs answers 400", async () => {
  await start();
  const refused = await post({ id: 1, method: "tools/list" });
  expect([refused.status, await refused.text()]).toEqual([400, "Mcp-Session-Id is required"]);
});

test("a server can do without sessions", async () => {
  await start({ sessionless: true });
  expect(await openSession()).toEqual({ "mcp-session-id": "" });
  const answered = await post({ id: 1, method: "ping" });
  expect(await answered.json()).toMatchObject({ result: {} });
});

test("a method can be refused with any status, for ever or so many times", async () => {
  const challenge = { "www-authenticate": 'Bearer resource_metadata="http://127.0.0.1/prm"' };
  await start({
    sessionless: true,
    status: {
      "tools/list": { status: 401, headers: challenge, times: 1 },
      ping: { status: 503, headers: { "retry-after": "7" }, body: "busy" },
    },
  });
  const refused = await post({ id: 1, method: "tools/list" });
  expect([refused.status, refused.headers.get("www-authenticate"), await refused.text()]).toEqual([
    401,
    challenge["www-authenticate"],
    "",
  ]);
  const served = await post({ id: 2, method: "tools/list" });
  expect(await served.json()).toMatchObject({ result: {} });
  for (const id of [3, 4]) {
    const busy = await post({ id, method: "ping" });
    expect([busy.status, busy.headers.get("retry-after"), await busy.text()]).toEqual([503, "7", "busy"]);
  }
});

test("the socket can be destroyed when a method arrives", async () => {
  await start({ dropOn: ["tools/call"] });
  const session = await openSession();
  await expect(post({ id: 1, method: "tools/call", params: { name: "echo" } }, session)).rejects.toThrow(
    "fetch failed",
  );
  expect(server.requests).toHaveLength(2);
});

test("a method can stay unanswered, until the server closes", async () => {
  await start({ silentOn: ["ping"], sessionless: true });
  const hanging = post({ id: 1, method: "ping" });
  await server.received(({ body }) => body?.method === "ping");
  await server.close();
  await expect(hanging).rejects.toThrow("fetch failed");
});

test("every answer can be a page of HTML", async () => {
  await start({ html: true });
  const response = await post({ id: 1, method: "initialize" });
  expect(response.headers.get("content-type")).toBe("text/html");
  expect(await response.text()).toContain("<!doctype html>");
});

test("the GET stream carries what the server says unasked", async () => {
  await start({ listChangedAfterCall: true });
  const session = await openSession();
  const stream = events(await fetch(server.url, { headers: session, signal: given.signal }));
  const call = await post({ id: 1, method: "tools/call", params: { name: "echo" } }, session);
  await call.text();
  expect((await stream.next()).value).toMatchObject({ method: "notifications/tools/list_changed" });
  server.notify({ method: "notifications/message", params: { level: "info", data: "hello" } });
  expect((await stream.next()).value).toMatchObject({ method: "notifications/message" });
});

test("what the server says unasked waits for the first GET stream", async () => {
  await start({ listChangedAfterCall: true });
  const session = await openSession();
  const call = await post({ id: 1, method: "tools/call", params: { name: "echo" } }, session);
  await call.text();
  const stream = events(await fetch(server.url, { headers: session, signal: given.signal }));
  expect((await stream.next()).value).toMatchObject({ method: "notifications/tools/list_changed" });
});

test("GET can be refused or hang", async () => {
  await start({ get: 405 });
  const refused = await fetch(server.url, { signal: given.signal });
  expect([refused.status, refused.headers.get("allow"), await refused.text()]).toEqual([405, "POST", ""]);

  server.setScript({ get: "hang" });
  const hanging = fetch(server.url, { signal: given.signal, headers: { "x-test": "hang" } });
  await server.received(({ headers }) => headers["x-test"] === "hang");
  given.abort();
  await expect(hanging).rejects.toThrow("aborted");
});

test("DELETE ends a session, at once or late, and a late one does not keep the server from closing", async () => {
  await start();
  const session = await openSession();
  const deleted = await fetch(server.url, { method: "DELETE", headers: session });
  expect([deleted.status, await deleted.text(), server.sessions]).toEqual([204, "", []]);

  server.setScript({ deleteLateMs: 600_000 });
  const late = fetch(server.url, { method: "DELETE", headers: await openSession() });
  await server.received(
    ({ method, headers }) => method === "DELETE" && headers["mcp-session-id"] !== session["mcp-session-id"],
  );
  await server.close();
  await expect(late).rejects.toThrow("fetch failed");
});

test("a modern client is told of changes on the subscription it opened", async () => {
  await start({ era: "modern", listChangedAfterCall: true });
  const notifications = { toolsListChanged: true };
  const stream = events(
    await post({ id: "s", method: "subscriptions/listen", params: { _meta: META, notifications } }),
  );
  expect((await stream.next()).value).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
  const call = await post({ id: 1, method: "tools/call", params: { name: "echo", _meta: META } });
  expect(await call.json()).toMatchObject({ result: { resultType: "complete" } });
  expect((await stream.next()).value).toMatchObject({
    method: "notifications/tools/list_changed",
    params: { _meta: { "io.modelcontextprotocol/subscriptionId": "s" } },
  });
});

test("the script can be replaced while the server runs", async () => {
  await start({ errorOn: { ping: { code: -1, message: "No." } }, sessionless: true });
  const refused = await post({ id: 1, method: "ping" });
  expect(await refused.json()).toMatchObject({ error: { code: -1 } });
  server.setScript({ sessionless: true });
  const served = await post({ id: 2, method: "ping" });
  expect(await served.json()).toMatchObject({ result: {} });
});

test("a body that is not JSON ends its own connection and nothing else", async () => {
  await start();
  await expect(fetch(server.url, { method: "POST", body: "{" })).rejects.toThrow("fetch failed");
  expect((await openSession())["mcp-session-id"]).not.toBe("");
});

test("a server can be closed twice, also by its scope's end", async () => {
  await start();
  await Promise.all([server.close(), server[Symbol.asyncDispose]()]);
  await expect(fetch(server.url)).rejects.toThrow("fetch failed");
});
