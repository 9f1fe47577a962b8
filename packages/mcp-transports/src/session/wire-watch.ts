import type { Progress } from "@jackfield/mcp-core";
import type { RequestOptions as SdkRequestOptions, Transport } from "@modelcontextprotocol/client";
import { NO_SDK_TIMEOUT_MS } from "../sdk.ts";

/** A request that wants to know what happens to its messages. It may take several: input is asked for and sent along. */
export interface WatchedRequest {
  onWritten(): void;
  onProgress(progress: Progress): void;
  onAnswered(): void;
  /** The stream its answer was to come by has ended without it. */
  onBrokenOff(): void;
}

/** Follows requests on a transport, which the SDK shows nobody. */
export interface WireWatch {
  /** The options with which a request is handed to the SDK to be followed. */
  optionsFor(request: WatchedRequest, signal: AbortSignal): SdkRequestOptions;
  forget(request: WatchedRequest): void;
}

/**
 * The SDK hands the headers of a request to the transport with every message of it. A symbol among them never reaches the
 * wire and tells which of our requests the message belongs to.
 */
const WATCHED = Symbol("watched request");

/** Begins to watch a transport that is connected. */
export function watchWire(transport: Transport): WireWatch {
  const unanswered = new Map<number, WatchedRequest>();
  const send = transport.send.bind(transport);
  const deliver = transport.onmessage;

  transport.send = (message, options) => {
    const request = (options?.headers as { readonly [WATCHED]?: WatchedRequest } | undefined)?.[WATCHED];
    if (!request || !("id" in message)) return send(message, options);
    const id = Number(message.id);
    unanswered.set(id, request);
    request.onWritten();
    const onRequestStreamEnd = () => {
      if (unanswered.delete(id)) request.onBrokenOff();
    };
    return send(message, { ...options, onRequestStreamEnd });
  };

  transport.onmessage = (message, extra) => {
    if (!("method" in message)) {
      // Servers exist that answer request 1 as "1"; the SDK accepts it.
      const id = Number(message.id);
      unanswered.get(id)?.onAnswered();
      unanswered.delete(id);
    } else if (message.method === "notifications/progress") {
      // Read here, because the SDK drops progress that arrives in one piece with the answer.
      const { progressToken, progress, total, message: text } = message.params ?? {};
      if (typeof progress === "number")
        unanswered.get(Number(progressToken))?.onProgress({
          progress,
          total: typeof total === "number" ? total : undefined,
          message: typeof text === "string" ? text : undefined,
        });
    }
    deliver?.(message, extra);
  };

  return {
    optionsFor: (request, signal) => ({
      signal,
      timeout: NO_SDK_TIMEOUT_MS,
      headers: { [WATCHED]: request } as Record<string, string>,
      onprogress: () => {}, // has a progress token sent along, so that the server may ask for more time
    }),
    forget(request) {
      for (const [id, watched] of unanswered) if (watched === request) unanswered.delete(id);
    },
  };
}
