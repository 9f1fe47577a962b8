import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";

/** Counts connections to a port of this machine, on any of its addresses. */
export interface TrapListener extends AsyncDisposable {
  readonly port: number;
  /** How many connections there have been. */
  connections(): Promise<number>;
}

/** Listens on every address of this machine, including IPv6 and IPv4-mapped ones if it has them. */
export async function openTrapListener(): Promise<TrapListener> {
  const callers: (number | undefined)[] = [];
  const server = createServer((socket) => {
    callers.push(socket.remotePort);
    socket.on("error", () => {}).destroy();
  });
  const port = await listen(server);
  const own = new Set<number | undefined>();
  return {
    port,
    async connections() {
      // Connections are taken in the order they came: with this one, all before it have been counted.
      own.add(await knock(port));
      return callers.filter((caller) => !own.has(caller)).length;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
}

async function listen(server: Server): Promise<number> {
  for (const host of ["::", "0.0.0.0"]) {
    server.listen({ port: 0, host });
    const isListening = await once(server, "listening").catch(() => undefined);
    const address = server.address();
    if (isListening && address && typeof address === "object") return address.port;
  }
  throw new Error("This machine has no address to listen on.");
}

async function knock(port: number): Promise<number | undefined> {
  const socket = connect({ port, host: "127.0.0.1" }).on("error", () => {});
  await once(socket, "connect");
  const { localPort } = socket;
  await once(socket.resume(), "close");
  return localPort;
}
