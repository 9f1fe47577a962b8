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
  /** The number of its connection, counted from 0 over the server's life. */
  readonly connection: number;
}

/** The requests that a server has received. */
export interface RequestLog {
  readonly requests: readonly RecordedHttpRequest[];
  add(request: RecordedHttpRequest): void;
  /** Resolves with the first past or future request for which `test` returns true. */
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
