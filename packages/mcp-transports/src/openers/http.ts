import type { ResolvedRemoteServer } from "@jackfield/mcp-core";
import type { Channel } from "../channel.ts";
import type { ChannelFault } from "../channel-fault.ts";
import { createStreamableHttpTransport } from "../http/streamable-http-transport.ts";
import type { Opener } from "./opener.ts";
import { openRemote } from "./remote.ts";

/** How long a server may take to be told that the session is over, in milliseconds; less where nobody waits for it. */
const DELETE_TIMEOUT_MS = 2000;
const HURRIED_DELETE_TIMEOUT_MS = 500;

/** A channel to a server behind Streamable HTTP. Nothing is sent before the transport's first message. */
export const openHttp: Opener<ResolvedRemoteServer> = async (server, tools) => {
  const { url, configured, wire, cookies, credentials, closing, secrets } = await openRemote(server, tools);
  const transport = createStreamableHttpTransport({
    url,
    configured,
    wire,
    cookies,
    credentials,
    maxMessageBytes: tools.maxMessageBytes,
    renewalTimeoutMs: tools.connectTimeoutMs,
  });
  const closeTransport = transport.close.bind(transport);
  let closed: Promise<void> | undefined;
  let fault: ChannelFault | undefined;

  const end = async (timeoutMs: number) => {
    await transport.endSession(timeoutMs);
    closing.abort();
    await closeTransport();
  };
  const close: Channel["close"] = (options) => {
    closed ??= end(options?.hurry ? HURRIED_DELETE_TIMEOUT_MS : DELETE_TIMEOUT_MS);
    return closed;
  };
  // Whoever listens closes the channel then.
  transport.fail = (reason) => {
    fault ??= reason;
    transport.onclose?.();
  };
  // The SDK closes the transport of a handshake that failed: it would cut off the DELETE.
  transport.close = () => close();

  return {
    transport,
    isPipe: false,
    facts: () => ({
      fault,
      differences: transport.differences,
      proxy: wire.proxy,
      secrets: [...secrets, ...(credentials?.secrets ?? []), ...cookies.secrets, ...transport.sessionIds],
      hasAccepted: transport.hasAccepted,
    }),
    onRenewed: (listener) => {
      transport.onrenewed = listener;
    },
    onChallengeMet:
      credentials &&
      ((listener) => {
        transport.onchallengemet = listener;
      }),
    close,
  };
};
