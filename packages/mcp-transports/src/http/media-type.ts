import { headerOf, type IncomingHeaders } from "./http-wire.ts";

/** The media type without its parameters, in lower case; empty where none is given. Of several, as a gateway adds its own, the first. */
export function mediaTypeOf(headers: IncomingHeaders): string {
  return (headerOf(headers, "content-type") ?? "").split(/[;,]/, 1)[0]?.trim().toLowerCase() ?? "";
}

export function isEventStream(headers: IncomingHeaders): boolean {
  return mediaTypeOf(headers) === "text/event-stream";
}
