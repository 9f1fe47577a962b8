import type { ConversationScript } from "./fault-script.ts";
import type { HttpAnswerFault } from "./http-answer.ts";
import type { HttpBodyFault } from "./http-body.ts";
import type { HttpStreamFault } from "./http-event-stream.ts";
import type { HttpPayloadFault } from "./http-payload.ts";
import type { HttpRefusalFault, HttpReply } from "./http-refusal.ts";

/** The faults of some requests. Each field is one fault; fields can be combined where that makes sense. */
export interface HttpFault
  extends HttpRefusalFault,
    HttpAnswerFault,
    HttpPayloadFault,
    HttpBodyFault,
    HttpStreamFault {
  /** How many requests are first served without the fault. Default 0. */
  readonly skip?: number | undefined;
  /** How many requests then meet the fault. Default: all. */
  readonly times?: number | undefined;
  /** How long the server waits before it handles the request, in milliseconds. Default 0. */
  readonly lateMs?: number | undefined;
  /** Forgets every session when the request arrives. A request that belongs to a session is refused. */
  readonly forget?: boolean | undefined;
}

/** The faults of an HTTP server, as JSON values only. An empty script is a correct server. */
export interface HttpFaultScript extends ConversationScript {
  /**
   * How requests are answered. `json` (default) and `sse` are Streamable HTTP; there `subscriptions/listen` is always a
   * stream. `legacy-sse` is the transport of protocol 2024-11-05: a GET stream that names an endpoint for messages.
   */
  readonly answer?: "json" | "sse" | "legacy-sse" | undefined;
  /**
   * Faults by place: a JSON-RPC method, or `POST`, `GET`, `DELETE` for all requests of that kind. A JSON-RPC method takes
   * precedence over `POST`. In a list, the first fault that is not used up applies.
   */
  readonly on?: { readonly [place: string]: HttpFault | readonly HttpFault[] } | undefined;
  /** The accepted values of `Authorization`; other requests get 401. Default: no check. */
  readonly authorization?: readonly string[] | undefined;
  /** Gives no session ids. Default false. */
  readonly sessionless?: boolean | undefined;
  /** The id of every session, which must be a valid header value. Default: a random one for each. */
  readonly sessionId?: string | undefined;
  /** The answer to a request of a session that the server does not know. Default: 404. */
  readonly unknownSession?: HttpReply | undefined;
  /** Every answer to a POST names a new session id; the earlier ones stay valid. Default false. */
  readonly sessionIdChanges?: boolean | undefined;
  /** Events have ids, and a GET with `Last-Event-ID` resumes the stream. Default false. */
  readonly eventIds?: boolean | undefined;
  /** The events that are replayed when a stream is resumed: the missed ones (default), none, or all from the start. */
  readonly replay?: "missed" | "none" | "all" | undefined;
  /** `legacy-sse`: the data of the `endpoint` event; `null` omits the event. Default: a path of this server. */
  readonly endpoint?: string | null | undefined;
  /** `legacy-sse`: the status of a POST to the URL of the stream. Default 405. */
  readonly postStatus?: number | undefined;
}
