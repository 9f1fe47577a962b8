import type { HttpWire, WireListener } from "../../src/http/http-wire.ts";
import { SseTransport } from "../../src/http/sse-transport.ts";
import { atEnd } from "../cleanup.ts";

/** A transport without a network, and the listener of its stream once it is started. */
export function prepareSseTransport() {
  const heard: WireListener[] = [];
  const wire: HttpWire = {
    isDecoding: false,
    send(_, listener) {
      heard.push(listener);
      return { abort() {}, pause() {}, resume() {} };
    },
    close: async () => {},
  };
  const url = new URL("http://127.0.0.1:9/sse");
  const closing = new AbortController();
  const secrets = () => [];
  const options = { url, configured: [], wire, credentials: undefined, maxMessageBytes: 0, closing, secrets };
  const listener: Pick<WireListener, "onHeaders" | "onData"> = {
    onHeaders: (...headers) => heard[0]?.onHeaders(...headers),
    onData: (chunk) => heard[0]?.onData(chunk),
  };
  const transport = new SseTransport(options);
  atEnd(() => transport.close());
  return [transport, listener] as const;
}
