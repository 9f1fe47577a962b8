import { describe, expect, test } from "vitest";
import type { HttpFaultScript } from "../../src/servers/http-fault-script.ts";
import { collected, eventsOf, messagesOf, type RawEvent, type RawHttp, startRawHttp } from "./raw-http.ts";

const note = (data: unknown) => ({ method: "notifications/message", params: { level: "info", data } });

function echoWithProgress(http: RawHttp): Promise<Response> {
  const params = { name: "echo", arguments: { nonce: "a" }, _meta: { progressToken: 1 } };
  return http.post({ id: 1, method: "tools/call", params });
}

/** The JSON of events that have some. */
function dataOf(events: readonly RawEvent[]): readonly unknown[] {
  return events.flatMap(({ data }) => (data ? [JSON.parse(data)] : []));
}

test("a GET stream can end at once every time, with a retry of 0", async () => {
  const { get, openSession, server } = await startRawHttp({ on: { GET: { endAfterMs: 0, retryMs: 0 } } });
  const session = await openSession();
  for (const _ of [1, 2, 3]) expect(await collected(eventsOf(await get(session)))).toEqual([{ retry: "0" }]);
  expect(server.streams.map(({ method, isOpen }) => [method, isOpen])).toEqual(Array(3).fill(["GET", false]));
});

test("a GET stream can end after a delay or by endStreams, and its session stays", async () => {
  const { get, openSession, server } = await startRawHttp({
    on: { GET: { times: 1, endAfterMs: 20, retryMs: 86_400_000 } },
  });
  const session = await openSession();
  expect(await collected(eventsOf(await get(session)))).toEqual([{ retry: "86400000" }]);
  const again = await get(session);
  server.endStreams();
  expect(await collected(eventsOf(again))).toEqual([]);
  expect(server.sessions).toHaveLength(1);
});

test("a stream can end without the answer to a call that was carried out", async () => {
  const { call, server } = await startRawHttp({
    sessionless: true,
    answer: "sse",
    on: { "tools/call": { endAfterMs: 0 } },
  });
  expect(await collected(eventsOf(await call(1, { nonce: "a" })))).toEqual([]);
  expect(server.timesCarriedOut("a")).toBe(1);
});

test("a stream can send nothing but comments", async () => {
  const { call, get, openSession, server } = await startRawHttp({
    answer: "sse",
    silentOn: ["tools/call"],
    on: { "tools/call": { commentEveryMs: 1 }, GET: { commentEveryMs: 1 } },
  });
  const session = await openSession();
  for (const response of [await call(1, {}, session), await get(session)]) {
    const events = eventsOf(response);
    for (const _ of [1, 2, 3]) expect((await events.next()).value).toEqual({ "": "alive" });
  }
  await server.close();
  await server.until(() => server.streams.every(({ isOpen }) => !isOpen));
});

test("each stream is recorded with its session, its events and whether it is open", async () => {
  const { get, call, openSession, server, abort } = await startRawHttp({
    answer: "sse",
    silentOn: ["tools/call"],
  });
  const session = await openSession();
  await get(session);
  await call(1, {}, session);
  const id = session["mcp-session-id"];
  expect(server.streams).toMatchObject([
    { method: "POST", session: undefined, isOpen: false, sentEvents: 1 },
    { method: "GET", session: id, isOpen: true, sentEvents: 0 },
    { method: "POST", session: id, isOpen: true, sentEvents: 0 },
  ]);
  abort();
  await server.until(() => server.streams.every(({ isOpen }) => !isOpen));
});

describe("with event ids", () => {
  const WITH_IDS: HttpFaultScript = { sessionless: true, answer: "sse", eventIds: true };

  test("a stream begins with an id before its first message", async () => {
    const { call } = await startRawHttp(WITH_IDS);
    const events = await collected(eventsOf(await call(1)));
    expect(events).toMatchObject([
      { id: "0-0", data: "" },
      { event: "message", id: "0-1" },
    ]);
  });

  test("resuming a stream again and again neither loses nor repeats a message", async () => {
    const fault = { endAfterEvents: 1 };
    const http = await startRawHttp({ ...WITH_IDS, progress: 5, on: { "tools/call": fault, GET: fault } });
    const events = await collected(eventsOf(await echoWithProgress(http)));
    while (!events.some(({ data }) => data?.includes('"result"'))) {
      const id = events.at(-1)?.id ?? "";
      events.push(...(await collected(eventsOf(await http.get({ "last-event-id": id })))));
    }
    const numbers = dataOf(events).map((message) => (message as { id?: 1 }).id ?? "progress");
    expect(numbers).toEqual([...Array(5).fill("progress"), 1]);
    expect(http.server.timesCarriedOut("a")).toBe(1);
    expect(http.server.streams).toMatchObject([{ method: "POST", sentEvents: 6, resumptions: 5 }]);
  });

  test("an answer that became ready while disconnected waits for the resumption", async () => {
    const http = await startRawHttp({
      ...WITH_IDS,
      answerLateMs: { "tools/call": 20 },
      on: { "tools/call": { endAfterMs: 0, retryMs: 1 } },
    });
    const events = await collected(eventsOf(await http.call(1)));
    expect(events).toEqual([{ retry: "1" }, { id: "0-0", data: "" }]);
    await http.server.until(() => http.server.streams[0]?.sentEvents === 1);
    const missed = await collected(eventsOf(await http.get({ "last-event-id": "0-0" })));
    expect(dataOf(missed)).toMatchObject([{ id: 1, result: {} }]);
  });

  test.each([
    { replay: "none", repeated: [] },
    { replay: "all", repeated: ["one", "two"] },
  ] as const)("a resumption can replay $replay of the earlier messages", async ({ replay, repeated }) => {
    const { get, server } = await startRawHttp({ ...WITH_IDS, replay, on: { GET: { endAfterEvents: 2 } } });
    const stream = collected(eventsOf(await get()));
    for (const data of ["one", "two"]) server.notify(note(data));
    expect((await stream).map(({ id }) => id)).toEqual(["0-0", "0-1", "0-2"]);
    const again = eventsOf(await get({ "last-event-id": "0-1" }));
    await again.next(); // the id it begins with
    if (replay === "none") server.notify(note("three"));
    const wanted = repeated.length === 0 ? ["three"] : repeated;
    for (const data of wanted) {
      expect(dataOf([(await again.next()).value as RawEvent])).toMatchObject([{ params: { data } }]);
    }
  });

  test("an unknown event id opens a new stream", async () => {
    const { get, server } = await startRawHttp(WITH_IDS);
    const messages = messagesOf(await get({ "last-event-id": "77-1" }));
    server.notify(note("hello"));
    expect((await messages.next()).value).toMatchObject(note("hello"));
    expect(server.streams).toMatchObject([{ method: "GET", resumptions: 0 }]);
  });
});
