import type { Transport } from "@modelcontextprotocol/client";

/** How a server's process ended by itself: one of the two is set. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Lines on standard output that are not JSON-RPC. */
export interface StrayOutput {
  readonly lines: number;
  /** The first of them, unredacted and possibly long. */
  readonly first: string;
}

/** What a channel knows about how it went, for error messages. Nothing in it is redacted. */
export interface ChannelFacts {
  readonly exit?: ProcessExit | undefined;
  /** Why the channel ended, if it ended itself. */
  readonly fault?: Error | undefined;
  /** The end of what the process wrote to standard error. */
  readonly stderr?: string | undefined;
  readonly stray?: StrayOutput | undefined;
  /** Whether the process that ended had read a message, as far as the system tells. */
  readonly hasReadInput?: boolean | undefined;
  /** The server gave this conversation an id, so a 404 means that it has forgotten it. */
  readonly hasSessionId?: boolean | undefined;
  /** In what the server differs that answered when a forgotten session was to be renewed, if it is another one. */
  readonly differences?: readonly string[] | undefined;
  /** What must not be shown besides the secrets of the entry: ids of the conversation, and what follows from the URL. */
  readonly secrets?: readonly string[] | undefined;
  /** The HTTP status that the very first request was refused with; missing once any was taken. */
  readonly firstRefusal?: number | undefined;
  /** The server has shown that it speaks this transport. Only of the older one over HTTP. */
  readonly isSpoken?: boolean | undefined;
}

/** A way to one server, with everything behind it: a process, sockets, a linked object. */
export interface Channel {
  readonly transport: Transport;
  /**
   * Silence after a probe means a legacy server, and a process may die of the probe: both are true of pipes only. It is
   * then started again.
   */
  readonly isPipe: boolean;
  facts(): ChannelFacts;
  /** Has somebody hear when the server's session was begun anew beneath the transport. */
  onRenewed?(listener: () => void): void;
  /**
   * Has somebody hear whenever a challenge of the server was met: what was refused for want of credentials may be taken now. Missing where
   * nobody can renew them, so that such a refusal is the last word.
   */
  readonly onChallengeMet?: ((listener: () => void) => void) | undefined;
  /** Ends everything behind the channel. Idempotent, and never rejects. `hurry`: nobody is left who would miss a graceful end. */
  close(options?: { readonly hurry?: boolean | undefined }): Promise<void>;
}
