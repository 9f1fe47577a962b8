import { type Logger, type McpError, thrownText } from "@jackfield/mcp-core";
import { callListener } from "../listener-call.ts";

/** The listeners of a session. One that throws does not affect the others. */
export interface SessionListeners {
  /** Returns a function that removes the listener. A listener that is added after the end is called at once. */
  onClose(listener: (cause?: McpError) => void): () => void;
  onRenewed(listener: () => void): () => void;
  tellRenewed(): void;
  /** Calls all close listeners, once. */
  tellClosed(cause: McpError | undefined): void;
}

export function createSessionListeners({
  server,
  log,
}: {
  readonly server: string;
  readonly log: Logger;
}): SessionListeners {
  const ofEnd = new Set<(cause?: McpError) => void>();
  const ofRenewal = new Set<() => void>();
  let end: { readonly cause: McpError | undefined } | undefined;

  const attempt = (what: "close" | "renewal", tell: () => void) =>
    callListener(tell, (error) =>
      log("warn", `A ${what} listener failed.`, { server, error: thrownText(error) }),
    );
  return {
    onClose(listener) {
      if (end) {
        const { cause } = end;
        attempt("close", () => listener(cause));
        return () => {};
      }
      const own = (cause?: McpError) => listener(cause);
      ofEnd.add(own);
      return () => void ofEnd.delete(own);
    },
    onRenewed(listener) {
      const own = () => listener();
      ofRenewal.add(own);
      return () => void ofRenewal.delete(own);
    },
    tellRenewed() {
      for (const listener of [...ofRenewal]) attempt("renewal", listener);
    },
    tellClosed(cause) {
      end ??= { cause };
      for (const listener of ofEnd) attempt("close", () => listener(cause));
      ofEnd.clear();
    },
  };
}
