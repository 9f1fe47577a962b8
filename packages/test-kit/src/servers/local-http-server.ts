import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An HTTP server on 127.0.0.1, on a free port. */
export interface LocalHttpServer {
  /** Without a trailing slash. */
  readonly origin: string;
  /** Ends all connections. Idempotent. */
  close(): Promise<void>;
}

/** Starts a server. If `receive` rejects, the request's connection is cut. */
export async function startLocalHttpServer(
  receive: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<LocalHttpServer> {
  // On a busy machine, a client may not have seen yet that an idle connection was closed.
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  let closed: Promise<unknown> | undefined;
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      closed ??= once(server.close(), "close");
      server.closeAllConnections();
      await closed;
    },
  };
}
