import type { Refusal } from "./http/http-call.ts";
import type { LaunchFault } from "./stdio/command-launch.ts";
import type { PassedOver } from "./stdio/command-lookup.ts";

/** Faults of a channel for which Node.js has no error. */
export type ChannelFaultFacts =
  /** The process could not be started. */
  | { readonly kind: "spawn-failed"; readonly errno: string | undefined }
  /** No trusted entry of `PATH` has the command. */
  | { readonly kind: "command-missing"; readonly passedOver: PassedOver | undefined }
  /** The command is a batch file that cannot be started with its path and arguments. */
  | { readonly kind: "launch-refused"; readonly reason: LaunchFault }
  /** The working directory of the process does not exist. */
  | { readonly kind: "folder-missing"; readonly folder: string }
  | { readonly kind: "url-invalid" }
  /** A variable of the environment names a proxy that cannot be used. */
  | { readonly kind: "proxy-invalid"; readonly variable: string }
  /** The function of an in-process entry did not return a server. */
  | { readonly kind: "no-server-given" }
  | { readonly kind: "message-too-large"; readonly limitBytes: number }
  /** A message was refused before anything of it was written. */
  | { readonly kind: "unwritable" }
  /** A message was refused because too much already waits for a process that does not read. */
  | { readonly kind: "queue-full"; readonly limitBytes: number }
  /** The server has too many unanswered requests. */
  | { readonly kind: "too-many-questions"; readonly limit: number }
  /** A message cannot be written as JSON. */
  | { readonly kind: "unserializable" }
  /** A message was being written when the process ended or closed its input. */
  | { readonly kind: "write-broken" }
  | { readonly kind: "output-ended" }
  /** A request was refused with an HTTP status. `isForgotten`: the server does not know its session any more. */
  | ({ readonly kind: "http-refused"; readonly isForgotten?: boolean | undefined } & Refusal)
  | { readonly kind: "deadline-expired" }
  | { readonly kind: "aborted" };

/** Travels to `errors/`, where it becomes an `McpError`. It never leaves this package. */
export class ChannelFault extends Error {
  override readonly name = "ChannelFault";
  readonly facts: ChannelFaultFacts;

  constructor(facts: ChannelFaultFacts, options?: ErrorOptions) {
    super(facts.kind, options);
    this.facts = facts;
  }
}
