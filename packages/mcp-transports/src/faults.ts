import type { PassedOver } from "@jackfield/mcp-core/node";
import type { Refusal } from "./http/http-call.ts";
import type { LaunchFault } from "./stdio/command.ts";

/** Faults of a transport for which Node.js has no error. */
export type TransportFaultFacts =
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

/** Like the other two, it travels to `errors/`, where it becomes an `McpError`. None of them leaves this package. */
export class TransportFault extends Error {
  override readonly name = "TransportFault";
  readonly facts: TransportFaultFacts;

  constructor(facts: TransportFaultFacts, options?: ErrorOptions) {
    super(facts.kind, options);
    this.facts = facts;
  }
}

/** What went wrong in a conversation that is not a fault of its transport. */
export type ProtocolFaultKind =
  /** The server sent something that is not valid MCP. */
  | "invalid"
  /** The two sides have no protocol version in common. */
  | "version"
  /** The server does not support the request, or needs something that the host does not support. */
  | "unsupported"
  /** A modern server keeps asking for input and never answers. */
  | "rounds-exceeded"
  /** The `requestState` that a server wants back is too long. */
  | "state-exceeded";

export class ProtocolFault extends Error {
  override readonly name = "ProtocolFault";
  readonly kind: ProtocolFaultKind;

  constructor(kind: ProtocolFaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The JSON-RPC error of an answer. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

// Codes of JSON-RPC errors (JSON-RPC 2.0, section 5.1; MCP 2026-07-28).

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** Headers and body of a request disagree; a required capability was not announced; the user has to open a URL first. */
export const HEADER_MISMATCH = -32020;
const MISSING_CLIENT_CAPABILITY = -32021;
export const URL_ELICITATION_REQUIRED = -32042;

/** A server that answers with this code knows that there are several protocol versions. */
export const UNSUPPORTED_PROTOCOL_VERSION = -32022;

const REFUSALS: ReadonlySet<number> = new Set([
  PARSE_ERROR,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  INVALID_PARAMS,
  HEADER_MISMATCH,
  MISSING_CLIENT_CAPABILITY,
  UNSUPPORTED_PROTOCOL_VERSION,
  URL_ELICITATION_REQUIRED,
]);

/** Whether a code says that the request was not processed. Any other may come from an exception during processing. */
export function isRefusalCode(code: number): boolean {
  return REFUSALS.has(code);
}
