import type { RequestId } from "@modelcontextprotocol/client";

/** No honest server has asked so much before it reads an answer. */
export const MOST_OPEN_QUESTIONS = 1000;

/** Each answer over HTTP has a connection of its own, for as long as the server likes. */
const MOST_CONNECTIONS = 16;

/** What a server asks, as long as it has not been answered, or the answer is not taken. */
export interface OpenQuestions {
  /** Whether there is room for one more. */
  open(id: RequestId): boolean;
  /** The server has taken it back, so that it may never be answered. */
  withdraw(id: RequestId): void;
  /** Sends the answer as soon as a connection is free for it. */
  answer(id: RequestId, send: () => Promise<void>): Promise<void>;
}

export interface OpenQuestionsOptions {
  /** Whether answers have connections of their own. */
  readonly hasConnections: boolean;
}

/** A server that asks without end costs no more memory and no more connections than the limits allow. */
export function createOpenQuestions({ hasConnections }: OpenQuestionsOptions): OpenQuestions {
  // Servers exist that give the same id twice.
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
      if (openCount >= MOST_OPEN_QUESTIONS) return false;
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
