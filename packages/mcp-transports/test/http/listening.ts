import { once } from "node:events";
import type { Server } from "node:http";
import type { Http2SecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { atEnd } from "../cleanup.ts";

/** Has a server listen on a free port of this machine until the test ends, and every connection with it. */
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
