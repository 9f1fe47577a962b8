/** What can go wrong in a channel that neither the SDK nor Node.js has an error for. */
export type ChannelFaultFacts =
  /** The process could not be started. */
  | { readonly kind: "spawn-failed"; readonly errno: string | undefined }
  /** The folder the process was to be started in does not exist. */
  | { readonly kind: "folder-missing"; readonly folder: string }
  | { readonly kind: "url-invalid" }
  | { readonly kind: "message-too-large"; readonly limitBytes: number }
  /** A message was refused before anything of it was written. */
  | { readonly kind: "unwritable" }
  | { readonly kind: "output-ended" }
  /** An HTTP status that carries more than the SDK's errors have room for. */
  | {
      readonly kind: "http-refused";
      readonly status: number;
      readonly retryAfterMs?: number | undefined;
      readonly challenge?: string | undefined;
    }
  | { readonly kind: "deadline-expired" }
  | { readonly kind: "aborted" };

/** Travels through the SDK to `errors/`, where it becomes an `McpError`. It never leaves this package. */
export class ChannelFault extends Error {
  override readonly name = "ChannelFault";
  readonly facts: ChannelFaultFacts;

  constructor(facts: ChannelFaultFacts, options?: ErrorOptions) {
    super(facts.kind, options);
    this.facts = facts;
  }
}
