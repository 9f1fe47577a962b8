interface ErrorFacts {
  /** What has happened, in one sentence. */
  readonly means: string;
  /** Whether reconnecting may help. It does not mean that a call may be repeated. */
  readonly retryable: boolean;
}

/**
 * Every code, with what it means. The one table: `ErrorCode`, `retryable` and `docs/errors.md` derive from it.
 * Adding a code is a minor change, removing one is major.
 */
export const ERROR_CODES = {
  MCP_CONFIG_INVALID: {
    means: "A configuration file, an entry or an option is not valid.",
    retryable: false,
  },
  MCP_CONFIG_NOT_FOUND: {
    means: "A configuration file that was named does not exist or cannot be read.",
    retryable: false,
  },
  MCP_CONFIG_VARIABLE_MISSING: {
    means: "An entry refers to a variable that has neither a value nor a default.",
    retryable: false,
  },
  MCP_STORAGE_FAILED: {
    means: "A file or folder that Jackfield keeps or writes could not be used.",
    retryable: false,
  },
  MCP_APPROVAL_REQUIRED: {
    means: "The entry comes from a project, and its current content has not been approved.",
    retryable: false,
  },
  MCP_AUTH_REQUIRED: {
    means: "The server requires authorization that is missing, expired or refused.",
    retryable: false,
  },
  MCP_TRANSPORT_UNSUPPORTED: {
    means: "The connector in use cannot open this kind of transport.",
    retryable: false,
  },
  MCP_COMMAND_NOT_FOUND: {
    means: "The server's command does not exist or cannot be executed.",
    retryable: false,
  },
  MCP_CONNECT_FAILED: {
    means: "The server could not be reached, or refused the connection.",
    retryable: true,
  },
  MCP_CONNECT_TIMEOUT: { means: "The server was not ready within its connect deadline.", retryable: true },
  MCP_SERVER_EXITED: { means: "The server's process ended.", retryable: true },
  MCP_HANDSHAKE_FAILED: {
    means: "The server started, but exited or hung up before the handshake was complete.",
    retryable: true,
  },
  MCP_SESSION_LOST: { means: "The connection or the session ended while it was in use.", retryable: true },
  MCP_PROTOCOL_VIOLATED: { means: "The server sent something that is not valid MCP.", retryable: true },
  MCP_PROTOCOL_UNSUPPORTED: {
    means: "The server and this client share no protocol version.",
    retryable: false,
  },
  MCP_REQUEST_REJECTED: {
    means: "The server returned an error for a request that was not a tool call.",
    retryable: false,
  },
  MCP_SERVER_UNKNOWN: { means: "No server of this name is configured.", retryable: false },
  MCP_TOOL_UNKNOWN: { means: "No server offers a tool of this name.", retryable: false },
  MCP_TOOL_REJECTED: { means: "The server answered a tool call with a protocol error.", retryable: false },
  MCP_TOOL_CHANGED: { means: "The tool differs from the one that was accepted earlier.", retryable: false },
  MCP_CALL_DENIED: { means: "The call was not approved.", retryable: false },
  MCP_CALL_TIMEOUT: { means: "A request was not answered within its deadline.", retryable: false },
  MCP_ARGUMENTS_INVALID: { means: "The arguments do not fit the tool; nothing was sent.", retryable: false },
  MCP_OUTCOME_UNKNOWN: {
    means: "The request may or may not have been carried out; it was not repeated.",
    retryable: false,
  },
  MCP_LIMIT_EXCEEDED: { means: "A limit on size, pages or time was exceeded.", retryable: false },
  MCP_ABORTED: { means: "The caller aborted the operation.", retryable: false },
  MCP_CLOSED: { means: "The runtime or the server was closed.", retryable: false },
  MCP_INTERNAL: { means: "Jackfield itself failed; please report it.", retryable: false },
} as const satisfies Record<`MCP_${string}`, ErrorFacts>;

/** What went wrong: `MCP_<AREA>_<FACT>`. */
export type ErrorCode = keyof typeof ERROR_CODES;
