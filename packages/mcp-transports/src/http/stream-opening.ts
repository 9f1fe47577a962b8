import type { JSONRPCMessage } from "@modelcontextprotocol/client";

/** How long a request waits for a stream that is being opened, in milliseconds: some servers answer the GET with their first event. */
const PATIENCE_MS = 250;

/** What a server may ask something in the course of. */
const MAY_CAUSE_QUESTIONS = new Set(["tools/call", "prompts/get", "resources/read"]);

/**
 * The time in which the stream of the server's own messages is being opened. What a server asks then reaches nobody: servers of the
 * official SDK put their questions on that stream, and drop them while there is none.
 */
export interface StreamOpening {
  begin(): void;
  /** It is open, or will not be. */
  end(): void;
  /** What a message has to wait for, if the server may ask something because of it. */
  before(message: JSONRPCMessage): Promise<void> | undefined;
}

export function createStreamOpening(): StreamOpening {
  let waiting: { readonly ended: Promise<void>; readonly timer: NodeJS.Timeout; end(): void } | undefined;
  const end = () => {
    clearTimeout(waiting?.timer);
    waiting?.end();
    waiting = undefined;
  };
  return {
    begin() {
      end();
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting = { ended: promise, timer: setTimeout(end, PATIENCE_MS), end: resolve };
    },
    end,
    before: (message) =>
      waiting && "method" in message && MAY_CAUSE_QUESTIONS.has(message.method) ? waiting.ended : undefined,
  };
}

/** Whether the client has told a server that it answers questions. */
export function isAskable(initialize: JSONRPCMessage | undefined): boolean {
  const params = initialize && "method" in initialize ? initialize.params : undefined;
  return Object.keys(params?.capabilities ?? {}).length > 0;
}
