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
