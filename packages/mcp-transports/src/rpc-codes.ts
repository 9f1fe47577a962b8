// Codes of JSON-RPC errors (JSON-RPC 2.0, section 5.1; MCP 2026-07-28).

export const METHOD_NOT_FOUND = -32601;
export const INTERNAL_ERROR = -32603;

/** Whoever says that it does not speak a version of the protocol knows that there are several. */
export const UNSUPPORTED_PROTOCOL_VERSION = -32022;
