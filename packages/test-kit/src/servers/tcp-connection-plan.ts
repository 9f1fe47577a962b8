/** How a connection is cut: by an orderly end to both sides, or by a reset of both. */
export type TcpCut = "fin" | "rst";

/** What happens to the bytes of one direction. Byte positions count from the start of the connection. */
export interface TcpDirectionPlan {
  /**
   * Once exactly so many bytes have been passed on, the connection is cut in both directions. 0 cuts when the first byte
   * arrives, before it is passed on. Default: never.
   */
  readonly cutAtByte?: number | undefined;
  /** For `cutAtByte`. Default `rst`. */
  readonly cutBy?: TcpCut | undefined;
  /** Once so many bytes have been passed on, the rest of this direction is swallowed, its end included. Default: never. */
  readonly swallowFromByte?: number | undefined;
  /** How much later everything is passed on, its end included, in milliseconds. Default 0. */
  readonly delayMs?: number | undefined;
  /** Passes on at most so many bytes at a time, each piece in a turn of its own. Default: as they come. */
  readonly chunkBytes?: number | undefined;
}

/** What happens to one connection. An empty plan passes everything on. */
export interface TcpConnectionPlan {
  /**
   * `pass` (default) connects to the server; `reset` resets the client at once; `black-hole` accepts the client, swallows
   * what it sends and never connects to the server.
   */
  readonly opening?: "pass" | "reset" | "black-hole" | undefined;
  /** From the client to the server. */
  readonly request?: TcpDirectionPlan | undefined;
  /** From the server to the client. */
  readonly answer?: TcpDirectionPlan | undefined;
}

/**
 * The plans of the connections to come: one for all, a queue after whose end connections are passed on unharmed, or a
 * function of the connection's number, which counts from 0 over the proxy's life.
 */
export type TcpPlan =
  | TcpConnectionPlan
  | readonly TcpConnectionPlan[]
  | ((connectionNumber: number) => TcpConnectionPlan | undefined);

/** Hands out the plan of each connection, in order of their arrival. */
export function createTcpPlanner(plan: TcpPlan): (connectionNumber: number) => TcpConnectionPlan {
  if (typeof plan === "function") return (connectionNumber) => plan(connectionNumber) ?? {};
  if (!isQueue(plan)) return () => plan;
  const queue = [...plan];
  return () => queue.shift() ?? {};
}

function isQueue(plan: TcpPlan): plan is readonly TcpConnectionPlan[] {
  return Array.isArray(plan);
}
