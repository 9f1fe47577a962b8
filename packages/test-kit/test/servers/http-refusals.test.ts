import { expect, test } from "vitest";
import { startRawHttp } from "./raw-http.ts";
import { dial } from "./raw-tcp.ts";

const SESSIONLESS = { sessionless: true } as const;
const NOW = Date.UTC(2026, 0, 1);

test.each([
  { status: 401, headers: { "www-authenticate": 'Bearer resource_metadata="http://127.0.0.1/prm"' } },
  { status: 403, headers: { "www-authenticate": 'Bearer error="insufficient_scope", scope="more"' } },
  { status: 404 },
  { status: 405, headers: { allow: "GET" } },
  { status: 429, headers: { "retry-after": "7" } },
  { status: 429, headers: { "retry-after": new Date(NOW).toUTCString() } },
  { status: 500 },
  { status: 501 },
  { status: 502, headers: { "content-type": "text/html" }, body: "<html></html>" },
  { status: 503, headers: { "retry-after": "7" } },
  { status: 202, headers: { "content-type": "text/event-stream" }, body: ": accepted\n\n" },
])("a method can be answered with $status without being carried out", async (reply) => {
  const { call, server } = await startRawHttp({ ...SESSIONLESS, on: { "tools/call": { reply } } });
  const response = await call(1, { nonce: "a" });
  expect(response.status).toBe(reply.status);
  expect(Object.fromEntries(response.headers)).toMatchObject(reply.headers ?? {});
  expect(await response.text()).toBe(reply.body ?? "");
  expect(server.timesCarriedOut("a")).toBe(0);
});

test("a request can be carried out and still get an error status", async () => {
  const { call, server } = await startRawHttp({
    ...SESSIONLESS,
    on: { "tools/call": { reply: { status: 502 }, runs: true } },
  });
  expect((await call(1, { nonce: "a" })).status).toBe(502);
  expect(server.timesCarriedOut("a")).toBe(1);
  expect(server.calls).toEqual([{ tool: "echo", arguments: { nonce: "a" }, session: undefined }]);
});

test("faults can skip requests, expire, follow each other and cover every POST", async () => {
  const { call, post } = await startRawHttp({
    ...SESSIONLESS,
    on: {
      "tools/call": [
        { skip: 1, times: 1, reply: { status: 500 } },
        { times: 1, reply: { status: 429 } },
      ],
      POST: { skip: 1, reply: { status: 404 } },
    },
  });
  const statuses = [];
  for (const id of [1, 2, 3, 4, 5]) statuses.push((await call(id)).status);
  // From the fourth call on, the method's faults are used up and the fault of POST applies, which skips one.
  expect(statuses).toEqual([200, 500, 429, 200, 404]);
  expect((await post({ id: 6, method: "ping" })).status).toBe(404);
});

test("one page of a list can fail once", async () => {
  const tools = ["a", "b", "c"].map((name) => ({ name, inputSchema: { type: "object" as const } }));
  const { post } = await startRawHttp({
    ...SESSIONLESS,
    tools,
    pageSize: 1,
    on: { "tools/list": { skip: 1, times: 1, reply: { status: 503 } } },
  });
  const page = (cursor?: string) => post({ id: 1, method: "tools/list", params: { cursor } });
  expect((await page()).status).toBe(200);
  expect((await page("1")).status).toBe(503);
  expect(await (await page("1")).json()).toMatchObject({ result: { tools: [{ name: "b" }] } });
});

test("a same-origin redirect leads to a path that is served", async () => {
  const { call, post, server } = await startRawHttp({
    ...SESSIONLESS,
    on: { "tools/call": { redirect: "same-origin", redirectStatus: 308 } },
  });
  const redirected = await call(1);
  const location = redirected.headers.get("location") ?? "";
  expect([redirected.status, location]).toEqual([308, "/moved"]);
  const target = new URL(location, server.url).href;
  const served = await post({ id: 2, method: "tools/call", params: { name: "echo" } }, {}, target);
  expect(await served.json()).toMatchObject({ id: 2, result: {} });
  expect(server.requests.map(({ path }) => path)).toEqual(["/mcp", "/moved"]);
});

test.each([
  { redirect: "loop", location: "/mcp" },
  { redirect: "file:///etc/passwd", location: "file:///etc/passwd" },
  { redirect: "http://127.0.0.2:9/", location: "http://127.0.0.2:9/" },
])("a redirect can lead to $location", async ({ redirect, location }) => {
  const { call } = await startRawHttp({ ...SESSIONLESS, on: { "tools/call": { redirect } } });
  for (const id of [1, 2]) {
    const { status, headers } = await call(id);
    expect([status, headers.get("location")]).toEqual([307, location]);
  }
});

test("a request can hang without any header until it is aborted", async () => {
  const { call, server, abort } = await startRawHttp({
    ...SESSIONLESS,
    on: { "tools/call": { hang: true } },
  });
  const hanging = call(1, { nonce: "a" });
  await server.received(({ body }) => body?.method === "tools/call");
  abort();
  await expect(hanging).rejects.toThrow("aborted");
  expect(server.timesCarriedOut("a")).toBe(0);
});

test("response headers can go on without end", async () => {
  const { server } = await startRawHttp({ on: { GET: { endlessHeaders: true } } });
  const end = dial(Number(new URL(server.url).port));
  end.socket.write("GET /mcp HTTP/1.1\r\nhost: localhost\r\n\r\n");
  const lines = (count: number) =>
    Array.from({ length: count }, (_, index) => `x-more-${index + 1}: and so on\r\n`).join("");
  const head = (count: number) => `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${lines(count)}`;
  await end.received(head(10));
  expect(end.text).toBe(head(end.text.split("\r\n").length - 3));
});

test.each([
  { drop: "arrival", carriedOut: 0 },
  { drop: "run", carriedOut: 1 },
] as const)("the connection can drop after the request's $drop, without an answer", async (way) => {
  const { call, server } = await startRawHttp({ ...SESSIONLESS, on: { "tools/call": { drop: way.drop } } });
  await expect(call(1, { nonce: "a" })).rejects.toThrow("fetch failed");
  expect(server.timesCarriedOut("a")).toBe(way.carriedOut);
});

test.each([
  { answer: "json", drop: "headers" },
  { answer: "json", drop: "body" },
  { answer: "sse", drop: "headers" },
  { answer: "sse", drop: "body" },
] as const)("the connection of a $answer answer can drop at its $drop", async ({ answer, drop }) => {
  const { call, server } = await startRawHttp({ ...SESSIONLESS, answer, on: { "tools/call": { drop } } });
  const response = await call(1, { nonce: "a" });
  expect(response.status).toBe(200);
  let text = "";
  const reading = async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
  };
  await expect(reading()).rejects.toThrow("terminated");
  expect(text.includes('"jsonrpc"')).toBe(drop === "body");
  expect(text).not.toContain("}}");
  expect(server.timesCarriedOut("a")).toBe(1);
});

test("a connection can be reset instead of closed", async () => {
  const dropping = { drop: "run", dropBy: "rst" } as const;
  const { call } = await startRawHttp({ ...SESSIONLESS, on: { "tools/call": dropping } });
  await expect(call(1)).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
});

test("only the scripted credentials are accepted, and a new script changes them", async () => {
  const script = { ...SESSIONLESS, authorization: ["Bearer one"] };
  const { call, server } = await startRawHttp(script);
  const statusWith = async (authorization: string) => (await call(1, {}, { authorization })).status;
  const refused = await call(1);
  expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  expect(await statusWith("Bearer one")).toBe(200);
  server.setScript({ ...script, authorization: ["Bearer two"] });
  expect(await statusWith("Bearer one")).toBe(401);
  expect(await statusWith("Bearer two")).toBe(200);
});

test("a server can forget the session just before a request", async () => {
  const { call, openSession, server } = await startRawHttp({
    on: { "tools/call": { forget: true, times: 1 } },
  });
  const session = await openSession();
  expect((await call(1, { nonce: "a" }, session)).status).toBe(404);
  expect([server.sessions, server.timesCarriedOut("a")]).toEqual([[], 0]);
  expect((await call(2, { nonce: "b" }, await openSession())).status).toBe(200);
});

test("after loseSessions, the first initialize fails and the second succeeds", async () => {
  const { call, post, openSession, server } = await startRawHttp();
  const session = await openSession();
  server.loseSessions();
  expect((await call(1, {}, session)).status).toBe(404);
  expect((await post({ id: 2, method: "initialize" })).status).toBe(500);
  expect((await call(3, {}, await openSession())).status).toBe(200);
});

test("a refused DELETE ends the session only if the fault lets it run", async () => {
  const { openSession, server } = await startRawHttp({
    on: {
      DELETE: [
        { times: 1, reply: { status: 405 } },
        { runs: true, reply: { status: 500 } },
      ],
    },
  });
  const headers = await openSession();
  const refused = await fetch(server.url, { method: "DELETE", headers });
  expect([refused.status, server.sessions.length]).toEqual([405, 1]);
  const failed = await fetch(server.url, { method: "DELETE", headers });
  expect([failed.status, server.sessions.length]).toEqual([500, 0]);
});
