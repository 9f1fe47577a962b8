import type { RequestId } from "@modelcontextprotocol/client";

/** No honest server has this many requests open at once. */
export const MOST_OPEN_SERVER_REQUESTS = 1000;

/** Over HTTP, each answer takes a connection of its own, which the server can hold as long as it likes. */
const MOST_CONNECTIONS = 16;

/** Requests of the server, until their answers have been accepted. */
export interface OpenServerRequests {
  /** Registers a request. Returns false if too many are open. */
  open(id: RequestId): boolean;
  /** The server has cancelled the request, so it may never be answered. */
  withdraw(id: RequestId): void;
  /** Sends the answer as soon as a connection is free for it. */
  answer(id: RequestId, send: () => Promise<void>): Promise<void>;
}

export interface OpenServerRequestsOptions {
  /** Whether each answer takes a connection of its own. */
  readonly hasConnections: boolean;
}

/** Bounds the memory and the connections that a server can take by asking without end. */
export function createOpenServerRequests({ hasConnections }: OpenServerRequestsOptions): OpenServerRequests {
  // Some servers use the same id twice.
  const open = new Map<RequestId, number>();
  const waiting: (() => void)[] = [];
  let openCount = 0;
  let freeConnections = hasConnections ? MOST_CONNECTIONS : Number.POSITIVE_INFINITY;

  const withdraw = (id: RequestId) => {
    const times = open.get(id);
    if (times === undefined) return;
    openCount -= 1;
    if (times > 1) open.set(id, times - 1);
    else open.delete(id);
  };
  return {
    open(id) {
      if (openCount >= MOST_OPEN_SERVER_REQUESTS) return false;
      openCount += 1;
      open.set(id, (open.get(id) ?? 0) + 1);
      return true;
    },
    withdraw,
    async answer(id, send) {
      if (freeConnections > 0) freeConnections -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        await send();
      } finally {
        withdraw(id);
        const next = waiting.shift();
        if (next) next();
        else freeConnections += 1;
      }
    },
  };
}
