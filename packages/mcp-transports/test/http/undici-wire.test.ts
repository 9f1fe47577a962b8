import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Dispatcher } from "undici";
import { afterEach, expect, test, vi } from "vitest";
import { ConnectionPools } from "../../src/http/connection-pools.ts";
import type { HttpWire, WireRequest } from "../../src/http/http-wire.ts";
import { createUndiciWire } from "../../src/http/undici-wire.ts";
import { atEnd } from "../cleanup.ts";
import { ECHO, open } from "./remote.ts";

/** A server in its own thread: it keeps streams open, answers calls, and resets the connection of the first call. */
const SERVER = `
const { createServer } = require("node:http");
const { parentPort, workerData } = require("node:worker_threads");
let calls = 0;
const server = createServer((request, response) => {
  if (request.method === "GET") return void response.writeHead(200).write(": open\\n\\n");
  calls += 1;
  response.end("done");
  if (calls > 1) return;
  const { socket } = request;
  socket.on("close", () => {
    Atomics.store(workerData, 0, 1);
    Atomics.notify(workerData, 0);
  });
  Atomics.wait(workerData, 1, 0);
  socket.resetAndDestroy();
});
server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;

test("a connection that closed while the program was busy is not used, even with a stream open", async () => {
  const flags = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(SERVER, { eval: true, workerData: flags });
  atEnd(async () => void (await worker.terminate()));
  const [port] = await once(worker, "message");
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  const wire = createUndiciWire(await new ConnectionPools().acquire(url.origin, { proxy: true }));
  atEnd(() => wire.close());
  await new Promise<void>((resolve) => void send(wire, { method: "GET", url, isStream: true }, resolve));
  const call = { method: "POST", url, body: "{}", isStream: false } as const;
  await new Promise<void>((resolve, reject) => void send(wire, call, undefined, resolve, reject));
  // undici itself looks at a connection that has just been used.
  for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
  Atomics.store(flags, 1, 1);
  Atomics.notify(flags, 1);
  // The program is busy until the connection is gone.
  expect(Atomics.wait(flags, 0, 0)).not.toBe("timed-out");
  const busyUntil = performance.now() + 10;
  while (performance.now() < busyUntil);
  await new Promise<void>((resolve, reject) => void send(wire, call, undefined, resolve, reject));
});

function send(
  wire: HttpWire,
  request: Omit<WireRequest, "headers">,
  onData: () => void = () => {},
  onEnd: () => void = () => {},
  onError: (error: Error) => void = () => {},
) {
  const headers = ["content-type", "application/json"];
  return wire.send({ ...request, headers }, { onWriting() {}, onHeaders() {}, onData, onEnd, onError });
}

const CONTROLLER = {} as Dispatcher.DispatchController;

test("an exception of the dispatcher becomes the error of its request", async () => {
  const broken = {
    dispatch: () => {
      throw new TypeError("no such method");
    },
  } as never;
  const wire = createUndiciWire({
    calls: broken,
    streams: broken,
    proxy: undefined,
    release: async () => {},
  });
  const url = new URL("http://127.0.0.1:9/");
  const error = await new Promise<Error>((resolve) => {
    send(wire, { method: "POST", url, isStream: false }, undefined, undefined, resolve);
  });
  expect(error.message).toBe("no such method");
});

afterEach(() => void vi.useRealTimers());

/** A wire whose dispatchers write nothing, with the dispatched paths and their handlers. Its clock stands still but for `pause`. */
function createSilentWire() {
  vi.useFakeTimers({ toFake: ["performance"] });
  const paths: string[] = [];
  const handlers: Dispatcher.DispatchHandler[] = [];
  const dispatcher = {
    dispatch: ({ path }: { path: string }, handler: Dispatcher.DispatchHandler) => {
      paths.push(path);
      handlers.push(handler);
    },
  } as never;
  const wire = createUndiciWire({
    calls: dispatcher,
    streams: dispatcher,
    proxy: undefined,
    release: async () => {},
  });
  const post = (path: string) =>
    send(wire, { method: "POST", url: new URL(path, "http://127.0.0.1:9"), isStream: false });
  const openStream = () =>
    send(wire, { method: "GET", url: new URL("http://127.0.0.1:9/stream"), isStream: true });
  return { paths, handlers, post, openStream };
}

/** Lets more time pass than a connection is trusted for. */
function pause(): void {
  vi.advanceTimersByTime(10);
}

test("requests after a pause wait for the event loop and then go out in order", async () => {
  const { paths, handlers, post } = createSilentWire();
  pause();
  post("/first");
  post("/second").abort(new Error("given up"));
  post("/third");
  expect(paths).toEqual([]);
  for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
  expect(paths).toEqual(["/first", "/third"]);
  post("/at-once");
  expect(paths).toHaveLength(3);
  pause();
  handlers[0]?.onResponseEnd?.(CONTROLLER, {});
  post("/after-an-answer");
  expect(paths, "until the connection of the answer is free").toHaveLength(3);
  await new Promise(setImmediate);
  expect(paths).toHaveLength(4);
  pause();
  post("/while-two-are-open");
  expect(paths).toHaveLength(4);
  for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
  expect(paths).toHaveLength(5);
});

test.each([
  ["an unfinished answer", "post"],
  ["a stream", "openStream"],
] as const)("data of %s does not end the pause for other connections", async (_, begin) => {
  const { paths, handlers, post, ...others } = createSilentWire();
  const open = { post, ...others }[begin];
  open("/long");
  for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
  pause();
  handlers[0]?.onResponseStart?.(CONTROLLER, 200, {});
  handlers[0]?.onResponseData?.(CONTROLLER, Buffer.from(": progress"));
  if (begin === "openStream") handlers[0]?.onResponseEnd?.(CONTROLLER, {});
  post("/next");
  expect(paths).toHaveLength(1);
  for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
  expect(paths).toHaveLength(2);
});

test("the handshake and calls one after another share one connection, beside that of the stream", async () => {
  const { remote, session } = await open();
  await remote.until(() => remote.streams.length === 1);
  for (let call = 0; call < 5; call += 1) await session.request("tools/call", ECHO);
  expect(remote.connectionCount).toBe(2);
});
