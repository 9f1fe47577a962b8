/** What went wrong in a conversation that is not a fault of its channel. `errors/` turns it into an `McpError`. */
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
