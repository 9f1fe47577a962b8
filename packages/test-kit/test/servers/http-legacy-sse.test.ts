import { expect, test } from "vitest";
import type { HttpFaultScript } from "../../src/servers/http-fault-script.ts";
import { collected, eventsOf, messagesOf, type RawEvent, type RawHttp, startRawHttp } from "./raw-http.ts";

function start(script: HttpFaultScript = {}): Promise<RawHttp> {
  return startRawHttp({ answer: "legacy-sse", ...script });
}

/** A session: the address for its messages, and the events of its stream that come after that. */
async function openStream({ get, server }: RawHttp) {
  const events = eventsOf(await get());
  const { event, data = "" } = (await events.next()).value as RawEvent;
  expect(event).toBe("endpoint");
  return { events, endpoint: new URL(data, server.url).href };
}

const ECHO = { method: "tools/call", params: { name: "echo", arguments: { nonce: "a" } } };

test("the stream announces the endpoint for messages and carries every answer", async () => {
  const http = await start({ progress: 1 });
  const { events, endpoint } = await openStream(http);
  expect(http.server.sessions).toEqual([new URL(endpoint).searchParams.get("sessionId")]);
  const params = { ...ECHO.params, _meta: { progressToken: 1 } };
  const accepted = await http.post({ ...ECHO, id: 1, params }, {}, endpoint);
  expect([accepted.status, await accepted.text()]).toEqual([202, ""]);
  const next = async () => JSON.parse(((await events.next()).value as RawEvent).data ?? "");
  expect(await next()).toMatchObject({ method: "notifications/progress" });
  expect(await next()).toMatchObject({ id: 1, result: {} });
  expect(http.server.violations).toEqual([]);
});

test("two clients each get only their own answers", async () => {
  const http = await start();
  const [one, two] = [await openStream(http), await openStream(http)];
  await http.post({ ...ECHO, id: 1 }, {}, one.endpoint);
  await http.post({ ...ECHO, id: 2 }, {}, two.endpoint);
  http.server.endStreams();
  for (const [stream, id] of [
    [one, 1],
    [two, 2],
  ] as const) {
    const events = await collected(stream.events);
    expect(events.map(({ data = "" }) => JSON.parse(data))).toMatchObject([{ id }]);
  }
});

test.each([undefined, 404, 501])(
  "a POST to the URL of the stream is refused, with postStatus %s",
  async (postStatus) => {
    const { post, server } = await start({ postStatus });
    expect((await post({ id: 1, method: "initialize" })).status).toBe(postStatus ?? 405);
    expect(server.requests).toHaveLength(1);
  },
);

test.each(["http://169.254.169.254/", "file:///etc/passwd", "::"])(
  "the announced endpoint can be %s",
  async (endpoint) => {
    const { get } = await start({ endpoint });
    expect((await eventsOf(await get()).next()).value).toEqual({ event: "endpoint", data: endpoint });
  },
);

test("the endpoint event can be left out", async () => {
  const { get, server } = await start({ endpoint: null });
  const messages = messagesOf(await get());
  server.notify({ method: "notifications/message", params: {} });
  expect((await messages.next()).value).toMatchObject({ method: "notifications/message" });
});

test("the stream can end during a call, and its session ends with it", async () => {
  const http = await start({ silentOn: ["tools/call"] });
  const { events, endpoint } = await openStream(http);
  await http.post({ ...ECHO, id: 1 }, {}, endpoint);
  http.server.endStreams();
  expect(await collected(events)).toEqual([]);
  await http.server.until(() => http.server.sessions.length === 0);
  expect((await http.post({ ...ECHO, id: 2 }, {}, endpoint)).status).toBe(404);
  expect(http.server.timesCarriedOut("a")).toBe(1);
});

test("loseSessions ends the stream, and the next session is served", async () => {
  const http = await start();
  const { events } = await openStream(http);
  http.server.loseSessions();
  expect(await collected(events)).toEqual([]);
  const next = await openStream(http);
  expect((await http.post({ id: 1, method: "initialize" }, {}, next.endpoint)).status).toBe(202);
});

test("the stream can be refused, hang, or end early", async () => {
  const { get, server, abort } = await start({
    on: {
      GET: [{ times: 1, reply: { status: 503 } }, { times: 1, lateMs: 10, endAfterMs: 0 }, { hang: true }],
    },
  });
  expect((await get()).status).toBe(503);
  expect((await collected(eventsOf(await get()))).length).toBeLessThanOrEqual(1);
  const hanging = get({ "x-test": "hang" });
  await server.received(({ headers }) => headers["x-test"] === "hang");
  abort();
  await expect(hanging).rejects.toThrow("aborted");
});

test("answers can be garbled, duplicated, or cut in the middle", async () => {
  const faults = { ping: { garbled: "not-json" }, "tools/call": { duplicateAnswers: true } } as const;
  const http = await start({ on: { ...faults, "tools/list": { drop: "body" } } });
  const { events, endpoint } = await openStream(http);
  const next = async () => ((await events.next()).value as RawEvent).data ?? "";
  await http.post({ id: 1, method: "ping" }, {}, endpoint);
  expect(await next()).toContain("<!doctype html>");
  await http.post({ ...ECHO, id: 2 }, {}, endpoint);
  for (const _ of [1, 2]) expect(JSON.parse(await next())).toMatchObject({ id: 2 });
  await http.post({ id: 3, method: "tools/list" }, {}, endpoint);
  await expect(events.next()).rejects.toThrow("terminated");
});

test("a POST can be refused, or carried out and answered with a body", async () => {
  const reply = { status: 202, body: "Accepted" };
  const http = await start({
    on: {
      "tools/call": [
        { times: 1, reply: { status: 500 } },
        { reply, runs: true },
      ],
    },
  });
  const { endpoint } = await openStream(http);
  const call = () => http.post({ ...ECHO, id: 1 }, {}, endpoint);
  expect((await call()).status).toBe(500);
  expect(http.server.timesCarriedOut("a")).toBe(0);
  expect(await (await call()).text()).toBe("Accepted");
  expect(http.server.timesCarriedOut("a")).toBe(1);
});
