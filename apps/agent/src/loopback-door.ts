import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** A port on 127.0.0.1 that forwards to a local socket. */
export interface LoopbackDoor {
  readonly port: number;
  /** Frees the port and ends the connections. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens a port on 127.0.0.1 and passes every connection on to a local socket (a named pipe on Windows), byte for byte.
 * `preferredPort` is taken if it is free, else any free one.
 */
export async function openLoopbackDoor(socketPath: string, preferredPort: number): Promise<LoopbackDoor> {
  const sockets = new Set<Socket>();
  const server = createServer((caller) => {
    const answerer = connect(socketPath);
    join(caller, answerer);
    for (const socket of [caller, answerer]) {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
    }
  });
  const port = await listen(server, preferredPort).catch((error: unknown) => {
    if (isTaken(error)) return listen(server, 0);
    throw error;
  });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= closeAll(server, sockets);
    return closed;
  };
  return { port, close };
}

function join(caller: Socket, answerer: Socket): void {
  caller.pipe(answerer).pipe(caller);
  // An error is followed by `close`, and the end of one side is the end of both.
  for (const [one, other] of [
    [caller, answerer],
    [answerer, caller],
  ] as const) {
    one.on("error", () => {});
    one.once("close", () => other.destroy());
  }
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The door has no port.");
  return address.port;
}

async function closeAll(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = once(server, "close");
  server.close();
  for (const socket of sockets) socket.destroy();
  await closed;
}

function isTaken(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && (error.code === "EADDRINUSE" || error.code === "EACCES")
  );
}
