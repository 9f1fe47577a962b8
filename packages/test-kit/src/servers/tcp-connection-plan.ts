/** How a connection is cut: with an orderly end or a reset, on both sides. */
export type TcpCut = "fin" | "rst";

/** What happens to the bytes of one direction. Byte positions count from the start of the connection. */
export interface TcpDirectionPlan {
  /**
   * Cuts the connection in both directions once exactly this many bytes have been passed on. 0 cuts when the first byte arrives,
   * before it is passed on. Default: never.
   */
  readonly cutAtByte?: number | undefined;
  /** For `cutAtByte`. Default `rst`. */
  readonly cutBy?: TcpCut | undefined;
  /** Swallows the rest of this direction, including its end, once this many bytes have been passed on. Default: never. */
  readonly swallowFromByte?: number | undefined;
  /** The delay of everything that is passed on, including the end, in milliseconds. Default 0. */
  readonly delayMs?: number | undefined;
  /** Passes on at most this many bytes at a time, each piece in its own turn of the event loop. Default: as they come. */
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
 * The plans of future connections: one plan for all, a queue after whose end connections are passed on unchanged, or a function of
 * the connection's number, which counts from 0 over the proxy's life.
 */
export type TcpPlan =
  | TcpConnectionPlan
  | readonly TcpConnectionPlan[]
  | ((connectionNumber: number) => TcpConnectionPlan | undefined);

/** Returns a function that gives each connection its plan, in order of arrival. */
export function createTcpPlanner(plan: TcpPlan): (connectionNumber: number) => TcpConnectionPlan {
  if (typeof plan === "function") return (connectionNumber) => plan(connectionNumber) ?? {};
  if (!isQueue(plan)) return () => plan;
  const queue = [...plan];
  return () => queue.shift() ?? {};
}

function isQueue(plan: TcpPlan): plan is readonly TcpConnectionPlan[] {
  return Array.isArray(plan);
}
