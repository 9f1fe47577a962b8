import { isMcpError, type McpError, thrownMessage } from "@jackfield/mcp-core";
import type { SdkErrorCode } from "@modelcontextprotocol/client";
import { ChannelFault, type ChannelFaultFacts } from "../channel-fault.ts";
import { UNSOUND_ANSWER } from "../message-check.ts";
import { ProtocolFault } from "../protocol/faults.ts";
import { UNSUPPORTED_PROTOCOL_VERSION } from "../rpc-codes.ts";

/** A thrown value, classified, whoever threw it. */
export type Failure =
  | { readonly kind: "mcp"; readonly error: McpError }
  | { readonly kind: "channel"; readonly facts: ChannelFaultFacts }
  /** The server answered with a JSON-RPC error. */
  | { readonly kind: "rpc"; readonly code: number; readonly message: string }
  | {
      readonly kind: "http";
      readonly status: number;
      readonly detail: string;
      readonly body?: string | undefined;
    }
  /** A socket or the name service failed; `neverSent` if no connection was made, so that nothing can have arrived. */
  | { readonly kind: "network"; readonly code: string; readonly neverSent: boolean }
  | { readonly kind: "closed" }
  /** The server sent something that is not valid MCP. */
  | { readonly kind: "invalid"; readonly detail: string }
  | { readonly kind: "version"; readonly detail: string }
  /** The server does not support the request, or needed something for it that the host does not support. */
  | { readonly kind: "unsupported"; readonly detail: string }
  | { readonly kind: "rounds-exceeded"; readonly detail: string }
  /** The `requestState` that the server wants back is too long. */
  | { readonly kind: "state-exceeded"; readonly detail: string }
  | { readonly kind: "other"; readonly detail: string };

type SdkKind = "closed" | "invalid" | "unsupported" | "rounds-exceeded";

const SDK_KINDS = {
  CONNECTION_CLOSED: "closed",
  NOT_CONNECTED: "closed",
  INVALID_RESULT: "invalid",
  UNSUPPORTED_RESULT_TYPE: "invalid",
  CLIENT_HTTP_UNEXPECTED_CONTENT: "invalid",
  METHOD_NOT_SUPPORTED_BY_PROTOCOL_VERSION: "unsupported",
  CAPABILITY_NOT_SUPPORTED: "unsupported",
  INPUT_REQUIRED_ROUNDS_EXCEEDED: "rounds-exceeded",
} as const satisfies { [C in `${SdkErrorCode}`]?: SdkKind };

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

/** The HTTP status that a request was refused with. */
export function httpStatusOf(failure: Failure): number | undefined {
  if (failure.kind === "http") return failure.status;
  return failure.kind === "channel" && failure.facts.kind === "http-refused"
    ? failure.facts.status
    : undefined;
}

function readChain(thrown: unknown): Failure {
  const chain = [...causesOf(thrown)];
  for (const error of chain) {
    if (isMcpError(error)) return { kind: "mcp", error };
    if (error instanceof ChannelFault) return { kind: "channel", facts: error.facts };
    if (error instanceof ProtocolFault) return { kind: error.kind, detail: error.message };
  }
  for (const error of chain) {
    const failure = readHttp(error) ?? readCode(error);
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

function readHttp(error: unknown): Failure | undefined {
  if (!(error instanceof Error) || !("status" in error) || typeof error.status !== "number") return undefined;
  const data = "data" in error ? (error.data as { readonly text?: unknown } | undefined) : undefined;
  const body = typeof data?.text === "string" ? data.text : undefined;
  return (
    readRpcBody(error.status, body) ?? {
      kind: "http",
      status: error.status,
      detail: thrownMessage(error),
      body,
    }
  );
}

/** The body of a 400 often is a JSON-RPC error, which says more than the status. */
function readRpcBody(status: number, body: string | undefined): Failure | undefined {
  if (status !== 400 || !body) return undefined;
  try {
    const { error } = JSON.parse(body);
    if (typeof error?.code === "number") return readRpc(error.code, String(error.message));
  } catch {
    // Not JSON: only the status is known.
  }
  return undefined;
}

function readCode(error: unknown): Failure | undefined {
  // A `DOMException`, as `fetch` throws when it is aborted, has a numeric code of another kind.
  if (!(error instanceof Error) || !("code" in error) || error instanceof DOMException) return undefined;
  const { code } = error;
  const message = thrownMessage(error);
  if ("data" in error && error.data === UNSOUND_ANSWER) return { kind: "invalid", detail: message };
  if (typeof code === "number") return readRpc(code, message);
  if (typeof code !== "string") return undefined;
  const kind = code in SDK_KINDS ? SDK_KINDS[code as keyof typeof SDK_KINDS] : undefined;
  if (kind) return { kind, detail: message };
  return /^(E[A-Z]|UND_ERR_)/.test(code) && !code.startsWith("ERA_")
    ? { kind: "network", code, neverSent: NEVER_CONNECTED.has(code) && !isOfConnection(error) }
    : undefined;
}

/** Whether an open connection failed: the same codes occur when the network loses the route to a connected host. */
function isOfConnection(error: Error): boolean {
  return "syscall" in error && (error.syscall === "read" || error.syscall === "write");
}

function readRpc(code: number, message: string): Failure {
  return code === UNSUPPORTED_PROTOCOL_VERSION
    ? { kind: "version", detail: message }
    : { kind: "rpc", code, message };
}

function readPlain(error: unknown): Failure {
  const detail = thrownMessage(error);
  if (detail === "Not connected") return { kind: "closed" };
  if (detail.startsWith("Server's protocol version is not supported")) return { kind: "version", detail };
  if (error instanceof SyntaxError || (error instanceof Error && error.name === "ZodError"))
    return { kind: "invalid", detail };
  return { kind: "other", detail };
}
