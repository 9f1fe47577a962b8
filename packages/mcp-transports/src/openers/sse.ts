import type { ResolvedRemoteServer } from "@jackfield/mcp-core";
import { createSseTransport } from "../http/sse-transport.ts";
import type { Opener } from "./opener.ts";
import { openRemote } from "./remote.ts";

/** A channel to a server behind the older HTTP+SSE transport. */
export const openSse: Opener<ResolvedRemoteServer> = async (server, tools) => {
  const { url, configured, wire, cookies, credentials, closing, secrets } = await openRemote(server, tools);
  const { maxMessageBytes } = tools;
  const transport = createSseTransport({ url, configured, wire, cookies, credentials, maxMessageBytes });
  let closed: Promise<void> | undefined;
  return {
    transport,
    isPipe: false,
    facts: () => ({
      fault: transport.fault,
      isConfirmedSse: transport.hasEndpoint,
      proxy: wire.proxy,
      secrets: [...secrets, ...(credentials?.secrets ?? []), ...cookies.secrets, ...transport.sessionIds],
    }),
    close() {
      closing.abort();
      closed ??= transport.close();
      return closed;
    },
  };
};
