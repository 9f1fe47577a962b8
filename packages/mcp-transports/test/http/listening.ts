import { once } from "node:events";
import type { Server } from "node:http";
import type { Http2SecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { atEnd } from "../cleanup.ts";

/** Listens on a free local port. When the test ends, closes the server and destroys its connections. */
export async function listen(server: Server | Http2SecureServer): Promise<number> {
  const sockets = new Set<{ destroy(): void }>();
  server.on("connection", (socket) => sockets.add(socket));
  await once(server.listen(0, "127.0.0.1"), "listening");
  atEnd(async () => {
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return (server.address() as AddressInfo).port;
}
