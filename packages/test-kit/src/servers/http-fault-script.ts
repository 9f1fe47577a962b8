import type { ConversationScript } from "./fault-script.ts";
import type { HttpAnswerFault } from "./http-answer.ts";
import type { HttpBodyFault } from "./http-body.ts";
import type { HttpStreamFault } from "./http-event-stream.ts";
import type { HttpPayloadFault } from "./http-payload.ts";
import type { HttpRefusalFault } from "./http-refusal.ts";

/** What goes wrong with some requests. One field is one fault; several go together where they make sense together. */
export interface HttpFault
  extends HttpRefusalFault,
    HttpAnswerFault,
    HttpPayloadFault,
    HttpBodyFault,
    HttpStreamFault {
  /** How many requests are served well first. Default 0. */
  readonly skip?: number | undefined;
  /** How many are then treated so. Default: all. */
  readonly times?: number | undefined;
  /** How late the request is looked at, in milliseconds. Default 0. */
  readonly lateMs?: number | undefined;
  /** Every session is forgotten when the request arrives: one that belongs to a session gets 404. */
  readonly forget?: boolean | undefined;
}

/** What an HTTP server does wrong, as JSON values only. An empty script is a correct server. */
export interface HttpFaultScript extends ConversationScript {
  /**
   * How requests are answered. `json` (default) and `sse` are Streamable HTTP; there `subscriptions/listen` is always a
   * stream. `legacy-sse` is the transport of protocol 2024-11-05: a GET stream that names an endpoint for messages.
   */
  readonly answer?: "json" | "sse" | "legacy-sse" | undefined;
  /**
   * Faults by place: a JSON-RPC method, or `POST`, `GET`, `DELETE` for whatever comes that way. A method goes before
   * `POST`. Of a list the first fault that is not used up counts.
   */
  readonly on?: { readonly [place: string]: HttpFault | readonly HttpFault[] } | undefined;
  /** The values of `Authorization` that are accepted; whoever sends another gets 401. Default: nobody is asked. */
  readonly authorization?: readonly string[] | undefined;
  /** Gives no session ids. Default false. */
  readonly sessionless?: boolean | undefined;
  /** The id that every session gets, as far as a header can carry it. Default: a random one for each. */
  readonly sessionId?: string | undefined;
  /** Every answer to a POST names a new session id; the earlier ones stay valid. Default false. */
  readonly sessionIdChanges?: boolean | undefined;
  /** Events have ids, and GET with `Last-Event-ID` takes up the stream where it was. Default false. */
  readonly eventIds?: boolean | undefined;
  /** What is repeated when a stream is taken up: what was missed (default), nothing, or everything from its start. */
  readonly replay?: "missed" | "none" | "all" | undefined;
  /** `legacy-sse`: what the event `endpoint` names, `null` for no such event. Default: a path of this server. */
  readonly endpoint?: string | null | undefined;
  /** `legacy-sse`: the status of a POST to the address of the stream. Default 405. */
  readonly postStatus?: number | undefined;
}
