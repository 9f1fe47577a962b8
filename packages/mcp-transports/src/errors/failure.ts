import { isMcpError, type McpError, thrownMessage } from "@jackfield/mcp-core";
import {
  ProtocolFault,
  type ProtocolFaultKind,
  TransportFault,
  type TransportFaultFacts,
  UNSUPPORTED_PROTOCOL_VERSION,
} from "../faults.ts";
import { rpcErrorIn } from "../http/refusal-error.ts";
import { UNSOUND_ANSWER } from "../message-check.ts";

/** A thrown value, classified, whoever threw it. */
export type Failure =
  | { readonly kind: "mcp"; readonly error: McpError }
  | { readonly kind: "transport"; readonly facts: TransportFaultFacts }
  /** The server answered with a JSON-RPC error, perhaps in the body of a refusal with that status. */
  | {
      readonly kind: "rpc";
      readonly code: number;
      readonly message: string;
      readonly data?: unknown;
      readonly httpStatus?: number | undefined;
    }
  /** A socket or the name service failed; `neverSent` if no connection was made, so that nothing can have arrived. */
  | { readonly kind: "network"; readonly code: string; readonly neverSent: boolean }
  | { readonly kind: ProtocolFaultKind | "other"; readonly detail: string };

/** Errors from before a connection exists, unless a read or a write caused them. */
const NEVER_CONNECTED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Classifies a thrown value. What it means for the user is decided elsewhere. Never throws, even if a getter of the value does. */
export function readFailure(thrown: unknown): Failure {
  try {
    return readChain(thrown);
  } catch {
    return { kind: "other", detail: thrownMessage(thrown) };
  }
}

/** The refusal with an HTTP status that a request failed with. */
export function refusalOf(failure: Failure) {
  return failure.kind === "transport" && failure.facts.kind === "http-refused" ? failure.facts : undefined;
}

function readChain(thrown: unknown): Failure {
  const chain = [...causesOf(thrown)];
  for (const error of chain) {
    if (isMcpError(error)) return { kind: "mcp", error };
    if (error instanceof TransportFault)
      return readRefusal(error.facts) ?? { kind: "transport", facts: error.facts };
    if (error instanceof ProtocolFault) return { kind: error.kind, detail: error.message };
  }
  for (const error of chain) {
    const failure = readCode(error);
    if (failure) return failure;
  }
  return readPlain(chain.at(-1));
}

/** The value and its causes, from the outside in. Stops at a cycle. */
function* causesOf(thrown: unknown): Generator<unknown> {
  const seen = new Set<unknown>();
  for (let error = thrown; error !== undefined && !seen.has(error); ) {
    seen.add(error);
    yield error;
    error = causeOf(error);
  }
}

/** A cause that cannot be read counts as none, so that the errors around it can still be classified. */
function causeOf(error: unknown): unknown {
  try {
    return error instanceof Error ? error.cause : undefined;
  } catch {
    return undefined;
  }
}

/** The body of a 400 often is a JSON-RPC error, which says more than the status. */
function readRefusal(facts: TransportFaultFacts): Failure | undefined {
  if (facts.kind !== "http-refused" || facts.status !== 400 || facts.isForgotten) return undefined;
  const error = rpcErrorIn(facts.text);
  return error && readRpc(error.code, error.message, facts.status);
}

function readCode(error: unknown): Failure | undefined {
  // A `DOMException`, as `fetch` throws when it is aborted, has a numeric code of another kind.
  if (!(error instanceof Error) || !("code" in error) || error instanceof DOMException) return undefined;
  const { code } = error;
  const message = thrownMessage(error);
  if ("data" in error && error.data === UNSOUND_ANSWER) return { kind: "invalid", detail: message };
  if (typeof code === "number")
    return readRpc(code, message, undefined, "data" in error ? error.data : undefined);
  if (typeof code !== "string") return undefined;
  return /^(E[A-Z]|UND_ERR_)/.test(code)
    ? { kind: "network", code, neverSent: NEVER_CONNECTED.has(code) && !isOfConnection(error) }
    : undefined;
}

/** Whether an open connection failed: the same codes occur when the network loses the route to a connected host. */
function isOfConnection(error: Error): boolean {
  return "syscall" in error && (error.syscall === "read" || error.syscall === "write");
}

function readRpc(code: number, message: string, httpStatus?: number, data?: unknown): Failure {
  return code === UNSUPPORTED_PROTOCOL_VERSION
    ? { kind: "version", detail: message }
    : { kind: "rpc", code, message, data, httpStatus };
}

function readPlain(error: unknown): Failure {
  const detail = thrownMessage(error);
  return { kind: error instanceof SyntaxError ? "invalid" : "other", detail };
}
