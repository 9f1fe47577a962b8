import type { IncomingMessage } from "./answer.ts";

/** The sessions of a server behind HTTP. */
export interface Sessions {
  /** The session a message belongs to, or the status it is refused with: 404 for one that is not known, 400 for none. */
  sessionFor(
    message: IncomingMessage,
    id: string | string[] | undefined,
  ): { readonly id: string } | { readonly refusal: 400 | 404 };
  /** Forgets every session. */
  forget(): void;
  /** The methods of the requests since then, as far as they were not refused, in their order. */
  seen(): string[];
}

export function createSessions(): Sessions {
  const known = new Set<string>();
  let last = 0;
  let methods: string[] = [];
  return {
    sessionFor({ id: request, method = "" }, id) {
      const session = method === "initialize" ? String(++last) : id;
      if (typeof session !== "string") return { refusal: 400 };
      if (method === "initialize") known.add(session);
      if (!known.has(session)) return { refusal: 404 };
      if (request !== undefined) methods.push(method);
      return { id: session };
    },
    forget() {
      known.clear();
      methods = [];
    },
    seen: () => methods,
  };
}
