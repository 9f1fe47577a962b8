import type { ServerResponse } from "node:http";
import type { HttpTimers } from "./http-timers.ts";
import type { TcpCut } from "./tcp-connection-plan.ts";

/** An HTTP answer that replaces the one MCP requires. */
export interface HttpReply {
  readonly status: number;
  /** For example `WWW-Authenticate` or `Retry-After`. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  readonly body?: string | undefined;
}

/** Faults that withhold the MCP answer to a request. */
export interface HttpRefusalFault {
  /** Sends this answer. */
  readonly reply?: HttpReply | undefined;
  /**
   * Redirects to another path of this server that serves everything without faults (`same-origin`), to the same path (`loop`),
   * or to the URL given.
   */
  readonly redirect?: "same-origin" | "loop" | (string & {}) | undefined;
  /** For `redirect`. Default 307. */
  readonly redirectStatus?: number | undefined;
  /** Never answers, not even with headers. */
  readonly hang?: boolean | undefined;
  /** Sends an endless series of headers. */
  readonly endlessHeaders?: boolean | undefined;
  /**
   * Ends the connection when the request has arrived (`arrival`), after it was carried out (`run`), after the headers of the
   * answer (`headers`), or in the middle of the answer (`body`).
   */
  readonly drop?: "arrival" | "run" | "headers" | "body" | undefined;
  /** For `drop`. Default `fin`. */
  readonly dropBy?: TcpCut | undefined;
  /** Carries out the request despite one of the faults above. Default false. */
  readonly runs?: boolean | undefined;
}

/** The target of `redirect: "same-origin"`. */
export const MOVED_PATH = "/moved";

const HEADER_EVERY_MS = 20;

/** Whether the request is refused before it is carried out. */
export function isRefusedUnheard(fault: HttpRefusalFault): boolean {
  return isRefusal(fault) && !fault.runs && fault.drop !== "run";
}

/** Whether the MCP answer to the request is never sent. */
export function isRefusal({ reply, redirect, hang, endlessHeaders, drop }: HttpRefusalFault): boolean {
  const isDropped = drop === "arrival" || drop === "run";
  return (
    reply !== undefined || redirect !== undefined || hang === true || endlessHeaders === true || isDropped
  );
}

/** Refuses a request as the fault says. `path` is the requested one. */
export function refuse(
  response: ServerResponse,
  fault: HttpRefusalFault,
  { path, timers }: { readonly path: string; readonly timers: HttpTimers },
): void {
  const { reply: instead, redirect, redirectStatus = 307, endlessHeaders, drop, dropBy } = fault;
  if (drop) cutConnection(response, dropBy);
  else if (instead) reply(response, instead);
  else if (redirect !== undefined) {
    const named = new Map([
      ["same-origin", MOVED_PATH],
      ["loop", path],
    ]);
    const location = named.get(redirect) ?? redirect;
    reply(response, { status: redirectStatus, headers: { location } });
  } else if (endlessHeaders) {
    writeEndlessHeaders(response, timers);
  }
}

/** Sends a plain HTTP answer. */
export function reply(response: ServerResponse, { status, headers = {}, body = "" }: HttpReply): void {
  response.writeHead(status, headers).end(body);
}

/** Ends a response's connection once everything written has been sent, or resets it at once. */
export function cutConnection({ socket }: ServerResponse, by: TcpCut = "fin"): void {
  if (by === "rst") socket?.resetAndDestroy();
  else socket?.destroySoon();
}

function writeEndlessHeaders({ socket }: ServerResponse, timers: HttpTimers): void {
  socket?.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n");
  let count = 0;
  const stop = timers.every(HEADER_EVERY_MS, () => {
    count += 1;
    socket?.write(`x-more-${count}: and so on\r\n`);
  });
  socket?.on("close", stop);
}
