import type { IncomingHttpHeaders } from "node:http";
import type { RpcMessage } from "./rpc-message.ts";

/** One HTTP request as it arrived. */
export interface RecordedHttpRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The JSON-RPC message; missing without a body. */
  readonly body?: RpcMessage | undefined;
  /** Which connection it came on; counts from 0 over the server's life. */
  readonly connection: number;
}

/** What a server has been asked. */
export interface RequestLog {
  readonly requests: readonly RecordedHttpRequest[];
  add(request: RecordedHttpRequest): void;
  /** Resolves with the first request for which the test holds, be it past or future. */
  received(test: (request: RecordedHttpRequest) => boolean): Promise<RecordedHttpRequest>;
}

/** Makes an empty log. */
export function createRequestLog(): RequestLog {
  const requests: RecordedHttpRequest[] = [];
  const waiting = new Set<(request: RecordedHttpRequest) => void>();
  return {
    requests,
    add(request) {
      requests.push(request);
      for (const check of [...waiting]) check(request);
    },
    received(test) {
      const past = requests.find(test);
      if (past) return Promise.resolve(past);
      return new Promise((resolve) => {
        const check = (request: RecordedHttpRequest) => {
          if (!test(request)) return;
          waiting.delete(check);
          resolve(request);
        };
        waiting.add(check);
      });
    },
  };
}
