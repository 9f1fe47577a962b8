import { createAnswerer, type HttpAnswering, type HttpWay } from "./http-answer.ts";
import { openBody } from "./http-body.ts";
import type { EventStream } from "./http-event-stream.ts";
import type { HttpFault } from "./http-fault-script.ts";
import type { HttpIncoming } from "./http-incoming.ts";
import { createPayload } from "./http-payload.ts";
import { reply } from "./http-refusal.ts";
import type { RpcMessage } from "./rpc-message.ts";

/** Sends the messages of one request. Its answer is the last. */
export type HttpExchange = (message: RpcMessage) => void;

/** What every exchange of a server needs besides its channel to the client. */
export type HttpExchangeContext = Omit<HttpAnswering, "request" | "isStream">;

/** Sends the answer as the body of the response, which can carry nothing else. */
export function createJsonExchange(
  { response }: HttpIncoming,
  fault: HttpFault,
  context: HttpExchangeContext,
): HttpExchange {
  const request: HttpWay = (value) => {
    const payload = createPayload(value, fault);
    const body = openBody(response, "application/json", fault, payload.length);
    if (fault.drop === "headers" || fault.drop === "body") {
      body.drop(payload, fault.drop, fault.dropBy);
      return;
    }
    body.write(payload);
    body.end();
  };
  return createAnswerer({ ...context, request, isStream: false });
}

/** Sends every message as an event of the stream that answers the request. */
export function createStreamExchange(
  stream: EventStream,
  fault: HttpFault,
  context: HttpExchangeContext,
): HttpExchange {
  const request: HttpWay = (value, isLast) => {
    stream.send(value, { isLast, fault: isLast ? fault : undefined });
  };
  return createAnswerer({ ...context, request, isStream: true });
}

/** Accepts the request with 202, and sends every message on a channel that other requests share. */
export function createDetachedExchange(
  { response }: HttpIncoming,
  context: HttpExchangeContext,
  request: HttpWay = context.session,
): HttpExchange {
  reply(response, { status: 202 });
  return createAnswerer({ ...context, request, isStream: true });
}
