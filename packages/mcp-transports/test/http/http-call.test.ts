import { expect, test, vi } from "vitest";
import { type HttpCallListener, startHttpCall } from "../../src/http/http-call.ts";
import type { HttpWire, WireListener } from "../../src/http/http-wire.ts";

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
    { method: "POST", url: new URL("http://127.0.0.1:9/"), headers: [], isStream: false },
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
