import type { TransportSendOptions } from "@modelcontextprotocol/client";

/** Facts about a request that the session repeats by itself and that no caller waits for. */
export interface Unattended {
  /** The server has granted the request before. */
  readonly wasGranted: boolean;
}

/** A symbol among the headers never reaches the wire, as with `WATCHED` in the wire watch. */
const UNATTENDED = Symbol("unattended request");

/** The send options of an unattended request. */
export function unattendedOptions(unattended: Unattended): TransportSendOptions {
  return { headers: { [UNATTENDED]: unattended } as Record<string, string> };
}

/** Reads the facts from the headers of a request. */
export function readUnattended(headers: object | undefined): Unattended | undefined {
  return (headers as { readonly [UNATTENDED]?: Unattended } | undefined)?.[UNATTENDED];
}
