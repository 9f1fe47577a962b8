import type { McpError, Progress, SessionRequestOptions } from "@jackfield/mcp-core";
import type { RequestOptions as SdkRequestOptions, Transport } from "@modelcontextprotocol/client";
import type { ErrorContext } from "../errors/error-context.ts";
import {
  abortedError,
  closedError,
  pendingRequestError,
  type RequestContext,
  requestError,
  timeoutError,
} from "../errors/request-error.ts";
import { createRequestClock, type RequestLimits } from "./request-clock.ts";
import { type WatchedRequest, watchWire } from "./wire-watch.ts";

/** One request on its way. */
interface Exchange {
  /** Settles it with an error and tells the server, unless it has settled. */
  fail(error: (context: RequestContext) => McpError): void;
}

/** What is asked, for messages. */
export interface Subject {
  readonly method: string;
  readonly tool?: string | undefined;
}

/** All requests of a session that have no answer yet. Each settles exactly once, and always with an `McpError`. */
export interface Exchanges {
  /** Makes a request: `send` hands it to the SDK with the options given. */
  run<T>(
    subject: Subject,
    options: SessionRequestOptions,
    limits: RequestLimits,
    send: (options: SdkRequestOptions) => Promise<T>,
  ): Promise<T>;
  /** Rejects every pending request; without a cause because we closed the session. */
  endAll(cause?: McpError): void;
}

/** Watches a connected transport, so that it is known of each request how far it came. */
export function createExchanges(transport: Transport, context: () => ErrorContext): Exchanges {
  const open = new Set<Exchange>();
  const wire = watchWire(transport);

  async function run<T>(
    subject: Subject,
    { signal, onProgress }: SessionRequestOptions,
    limits: RequestLimits,
    send: (options: SdkRequestOptions) => Promise<T>,
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const controller = new AbortController();
    let isWritten = false;
    const describe = (): RequestContext => ({ ...context(), ...subject, isWritten });
    const settle = (action: () => void) => {
      if (open.delete(exchange)) action();
    };
    const exchange: Exchange = {
      fail: (explain) =>
        settle(() => {
          reject(explain(describe()));
          controller.abort(new Error("the caller no longer waits"));
        }),
    };
    const onAbort = () => exchange.fail((at) => abortedError(signal?.reason, at));
    if (signal?.aborted) throw abortedError(signal.reason, describe());
    open.add(exchange);
    signal?.addEventListener("abort", onAbort, { once: true });
    const clock = createRequestClock(limits, (limitMs, isTotal) =>
      exchange.fail((at) => timeoutError(limitMs, isTotal, at)),
    );
    const watched: WatchedRequest = {
      onWritten() {
        isWritten = true;
      },
      onProgress(progress) {
        clock.progressed(progress.progress);
        tell(onProgress, progress);
      },
      onAnswered: () => clock.rewind(),
      onBrokenOff: () => exchange.fail((at) => requestError(new Error("its answer broke off"), at)),
    };
    send(wire.optionsFor(watched, controller.signal)).then(
      (value) => settle(() => resolve(value)),
      (error) => settle(() => reject(requestError(error, describe()))),
    );
    return promise.finally(() => {
      clock.stop();
      wire.forget(watched);
      signal?.removeEventListener("abort", onAbort);
    });
  }

  return {
    run,
    endAll(cause) {
      for (const exchange of [...open])
        exchange.fail((at) => (cause ? pendingRequestError(cause, at) : closedError(at)));
    },
  };
}

/** A listener that throws must not disturb the request it listens to. */
function tell(listener: SessionRequestOptions["onProgress"], progress: Progress): void {
  try {
    listener?.(progress);
  } catch {
    // It is the caller's own, who can catch what it throws.
  }
}
