import { randomUUID } from "node:crypto";

/** The valid sessions of a server. */
export interface HttpSessions {
  readonly ids: readonly string[];
  has(id: string): boolean;
  /** Opens a session. Default id: a random one. */
  open(id?: string): string;
  end(id: string): void;
  endAll(): void;
}

/** Creates an empty set of sessions. */
export function createHttpSessions(): HttpSessions {
  const ids = new Set<string>();
  return {
    get ids() {
      return [...ids];
    },
    has: (id) => ids.has(id),
    open(id = randomUUID()) {
      ids.add(id);
      return id;
    },
    end: (id) => void ids.delete(id),
    endAll: () => ids.clear(),
  };
}
