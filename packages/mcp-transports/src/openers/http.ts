import type { ResolvedRemoteServer } from "@jackfield/mcp-core";
import type { Channel } from "../channel.ts";
import { ChannelFault } from "../channel-fault.ts";
import { createHttpFetch } from "../http/http-fetch.ts";
import { withoutReservedHeaders } from "../http/reserved-headers.ts";
import type { Opener } from "./opener.ts";

/** How long a server may take to be told that the session is over, in milliseconds; less where nobody waits for it. */
const FAREWELL_MS = 2000;
const HURRIED_FAREWELL_MS = 500;

/** A server's `retry:` field of 0 would otherwise have us reconnect as fast as we can. */
const SHORTEST_RECONNECTION_DELAY_MS = 1000;

/** A channel to a server behind Streamable HTTP. Nothing is sent before the transport's first message. */
export const openHttp: Opener<ResolvedRemoteServer> = async (server, { sdk, auth }) => {
  if (!URL.canParse(server.url)) throw new ChannelFault({ kind: "url-invalid" });
  const closing = new AbortController();
  const transport = new sdk.StreamableHTTPClientTransport(new URL(server.url), {
    requestInit: { headers: withoutReservedHeaders(server.headers) },
    fetch: createHttpFetch({ server, auth, signal: closing.signal }),
    reconnectionScheduler(reconnect, delayMs) {
      const timer = setTimeout(reconnect, Math.max(delayMs, SHORTEST_RECONNECTION_DELAY_MS));
      return () => clearTimeout(timer);
    },
  });
  const closeTransport = transport.close.bind(transport);
  let closed: Promise<void> | undefined;

  const end = async (farewellMs: number) => {
    const patience = AbortSignal.timeout(farewellMs);
    const farewell = transport.terminateSession().catch(() => {});
    await Promise.race([farewell, new Promise((resolve) => patience.addEventListener("abort", resolve))]);
    closing.abort();
    await closeTransport();
  };
  const close: Channel["close"] = (options) => {
    closed ??= end(options?.hurry ? HURRIED_FAREWELL_MS : FAREWELL_MS);
    return closed;
  };
  // The SDK closes the transport of a handshake that failed: it would cut off the farewell.
  transport.close = () => close();

  return {
    transport,
    isPipe: false,
    facts: () => ({ hasSessionId: transport.sessionId !== undefined }),
    close,
  };
};
