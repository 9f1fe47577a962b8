import { gzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { type HttpCallListener, startHttpCall } from "../../src/http/http-call.ts";
import type { HttpWire, WireListener } from "../../src/http/http-wire.ts";

const REQUEST = {
  method: "POST",
  url: new URL("http://127.0.0.1:9/"),
  headers: [],
  isStream: false,
} as const;

test("a call tells of what has arrived before it is decompressed, and not of refusals", () => {
  let heard: WireListener | undefined;
  const wire: HttpWire = {
    isDecoding: false,
    send(_, listener) {
      heard = listener;
      return { abort() {}, pause() {}, resume() {} };
    },
    close: async () => {},
  };
  const [onReceived, push] = [vi.fn(), vi.fn()];
  const listener = { onAccepted: () => ({ push, end() {} }), onReceived, onError() {} };
  const start = () =>
    startHttpCall({ wire, credentials: undefined }, REQUEST, listener as unknown as HttpCallListener);
  const accepted = start();
  heard?.onHeaders(200, { "content-encoding": "gzip" });
  heard?.onData(gzipSync("data: hi\n\n"));
  expect(onReceived).toHaveBeenCalledTimes(1);
  expect(push).not.toHaveBeenCalled();
  accepted.abort(new Error("enough"));
  const refused = start();
  heard?.onHeaders(429, {});
  heard?.onData(Buffer.from("<html>"));
  expect(onReceived).toHaveBeenCalledTimes(1);
  refused.abort(new Error("enough"));
});

test("a call that is aborted while a refusal arrives leaves no timer", () => {
  vi.useFakeTimers();
  let heard: WireListener | undefined;
  const wire: HttpWire = {
    isDecoding: false,
    send(_, listener) {
      heard = listener;
      return { abort() {}, pause() {}, resume() {} };
    },
    close: async () => {},
  };
  const onError = vi.fn();
  const listener = { onAccepted: expect.fail, onEnd: expect.fail, onRefusal: expect.fail, onError };
  const call = startHttpCall(
    { wire, credentials: undefined },
    REQUEST,
    listener as unknown as HttpCallListener,
  );
  heard?.onHeaders(429, {});
  heard?.onData(Buffer.from("<html>"));
  expect(vi.getTimerCount()).toBe(1);
  call.abort(new Error("nobody waits"));
  expect(onError).toHaveBeenCalledTimes(1);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});
