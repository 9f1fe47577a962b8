import type { IncomingMessage } from "./answer.ts";

/** How long a server with sessions takes for each answer, so that what waits for what can be told. */
export const LATENCY_MS = 10;

/** The sessions of a server behind HTTP. */
export interface Sessions {
  /** The session a message belongs to, or the status it is refused with: 404 for one that is not known, 400 for none. */
  sessionFor(
    message: IncomingMessage,
    id: string | string[] | undefined,
  ): { readonly id: string } | { readonly refusal: 400 | 404 };
  /** Told that a message was answered. */
  noteAnswer(message: IncomingMessage): void;
  /** Forgets every session. */
  forget(): void;
  /** The methods of the requests that had been answered since then when the first call arrived that was not refused. */
  answeredBeforeCall(): readonly string[];
}

export function createSessions(): Sessions {
  const known = new Set<string>();
  let last = 0;
  let answered: string[] = [];
  let hasCall = false;
  return {
    sessionFor({ method = "" }, id) {
      const session = method === "initialize" ? String(++last) : id;
      if (typeof session !== "string") return { refusal: 400 };
      if (method === "initialize") known.add(session);
      if (!known.has(session)) return { refusal: 404 };
      hasCall ||= method === "tools/call";
      return { id: session };
    },
    noteAnswer({ id, method = "" }) {
      if (id !== undefined && !hasCall) answered.push(method);
    },
    forget() {
      known.clear();
      answered = [];
      hasCall = false;
    },
    answeredBeforeCall: () => answered,
  };
}
