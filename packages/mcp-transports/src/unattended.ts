import type { TransportSendOptions } from "@modelcontextprotocol/client";

/** What is known of a request that the session makes by itself, again and again, and that nobody waits for. */
export interface Unattended {
  /** The server has agreed to it before. */
  readonly wasGranted: boolean;
}

/** As with the requests that are watched on the wire: a symbol among the headers never reaches it. */
const UNATTENDED = Symbol("unattended request");

/** The options with which such a request is sent. */
export function unattendedOptions(unattended: Unattended): TransportSendOptions {
  return { headers: { [UNATTENDED]: unattended } as Record<string, string> };
}

/** Reads them where it is sent. */
export function readUnattended(headers: object | undefined): Unattended | undefined {
  return (headers as { readonly [UNATTENDED]?: Unattended } | undefined)?.[UNATTENDED];
}
