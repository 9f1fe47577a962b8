import type { JSONRPCMessage } from "@modelcontextprotocol/client";

/** How long a request waits for a stream that is being opened, in milliseconds: some servers answer the GET with their first event. */
const PATIENCE_MS = 250;

/** The methods during which a server may send requests. */
const MAY_CAUSE_SERVER_REQUESTS = new Set(["tools/call", "prompts/get", "resources/read"]);

/**
 * The time in which the stream of the server's own messages is being opened. Requests of the server are lost then: servers of the
 * official SDK send them on that stream, and drop them while there is none.
 */
export interface StreamOpening {
  begin(): void;
  /** The stream is open, or will not be. */
  end(): void;
  /** What a message has to wait for, if it may cause requests of the server. */
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
      waiting && "method" in message && MAY_CAUSE_SERVER_REQUESTS.has(message.method)
        ? waiting.ended
        : undefined,
  };
}

/** Whether the client has announced capabilities, so that the server may send it requests. */
export function isAskable(initialize: JSONRPCMessage | undefined): boolean {
  const params = initialize && "method" in initialize ? initialize.params : undefined;
  return Object.keys(params?.capabilities ?? {}).length > 0;
}
