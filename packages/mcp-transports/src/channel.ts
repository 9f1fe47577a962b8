import type { Transport } from "./transport.ts";

/** How a server's process ended by itself. One of the two is set. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Lines on standard output that are not JSON-RPC. */
export interface StrayOutput {
  readonly lines: number;
  /** The first and the last such line, unredacted and possibly long. */
  readonly first: string;
  readonly last: string;
}

/** What a channel knows about its connection, for error messages. Nothing in it is redacted. */
export interface ChannelFacts {
  readonly exit?: ProcessExit | undefined;
  /** Why the channel ended, if it ended by itself. */
  readonly fault?: Error | undefined;
  /** The end of what the process wrote to standard error. */
  readonly stderr?: string | undefined;
  readonly stray?: StrayOutput | undefined;
  /** Whether the process had read a message before it ended, as far as the system can tell. */
  readonly hasReadInput?: boolean | undefined;
  /** How the server that answered a session renewal differs from the original one, if it does. */
  readonly differences?: readonly string[] | undefined;
  /** The proxy between the server and this client, without user and password. */
  readonly proxy?: string | undefined;
  /** What must not be shown, besides the secrets of the entry: session ids, and secrets that follow from the URL. */
  readonly secrets?: readonly string[] | undefined;
  /** Whether the server has accepted a message over Streamable HTTP. */
  readonly hasAccepted?: boolean | undefined;
  /** Whether the server has shown that it speaks this transport. Set only by the SSE transport. */
  readonly isConfirmedSse?: boolean | undefined;
}

/** A connection to one server, with everything behind it: a process, sockets, or a linked object. */
export interface Channel {
  readonly transport: Transport;
  /**
   * Whether the server is at the other end of pipes. Only then does silence after a probe mean a legacy server, and is a process that dies
   * of the probe started again.
   */
  readonly isPipe: boolean;
  facts(): ChannelFacts;
  /** Calls the listener when the transport has begun a new session with the server. */
  onRenewed?(listener: () => void): void;
  /**
   * Calls the listener whenever an authorization challenge was met: the server may now accept what it has refused. Missing if nobody can
   * renew credentials, so that such a refusal is final.
   */
  readonly onChallengeMet?: ((listener: () => void) => void) | undefined;
  /** Ends everything behind the channel. Idempotent, never rejects. `hurry`: skip the graceful end, which no one would notice. */
  close(options?: { readonly hurry?: boolean | undefined }): Promise<void>;
}
