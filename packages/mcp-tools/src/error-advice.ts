import type { ErrorCode } from "@jackfield/mcp-core";

/** Advice for every call whose outcome is unknown, whatever its code. */
export const MAY_HAVE_RUN =
  "It is unknown whether the call succeeded: it may have run. " +
  "Do not simply repeat it; check first whether it took effect.";

const TRY_LATER = "The server cannot be reached at the moment; continue without it, or try again later.";
const DO_NOT_REPEAT = "Calling again will not help; say so, and continue without this tool.";
const NEEDS_SETUP = "A person must change the setup first; continue without this tool.";

/** What a model can do about each error. Where the outcome is unknown, `MAY_HAVE_RUN` is used instead. */
export const ERROR_ADVICE: Readonly<Record<ErrorCode, string>> = {
  MCP_CONFIG_INVALID: NEEDS_SETUP,
  MCP_CONFIG_NOT_FOUND: NEEDS_SETUP,
  MCP_CONFIG_VARIABLE_MISSING: NEEDS_SETUP,
  MCP_STORAGE_FAILED: NEEDS_SETUP,
  MCP_APPROVAL_REQUIRED: NEEDS_SETUP,
  MCP_AUTH_REQUIRED: "A person must log in to this server first; continue without this tool.",
  MCP_TRANSPORT_UNSUPPORTED: NEEDS_SETUP,
  MCP_COMMAND_NOT_FOUND: NEEDS_SETUP,
  MCP_CONNECT_FAILED: TRY_LATER,
  MCP_CONNECT_TIMEOUT: TRY_LATER,
  MCP_HANDSHAKE_FAILED: TRY_LATER,
  MCP_SERVER_EXITED: TRY_LATER,
  MCP_SESSION_LOST: TRY_LATER,
  MCP_PROTOCOL_VIOLATED: DO_NOT_REPEAT,
  MCP_PROTOCOL_UNSUPPORTED: DO_NOT_REPEAT,
  MCP_REQUEST_REJECTED: "The server refused the request; read its reason before you try anything else.",
  MCP_SERVER_UNKNOWN: DO_NOT_REPEAT,
  MCP_TOOL_UNKNOWN: "The tool is no longer available; use another one.",
  MCP_TOOL_REJECTED: "The server refused the call; read its reason before you try anything else.",
  MCP_TOOL_CHANGED:
    "The tool is not the one you were shown any more. Read its description again before you call it; " +
    "if that has not changed, or the call is refused again, continue without the tool and say so.",
  MCP_CALL_DENIED: "The call was not allowed; do not try to do the same in another way.",
  MCP_CALL_TIMEOUT: "The server took too long; a smaller request may succeed.",
  MCP_ARGUMENTS_INVALID: "Nothing was sent. Correct the arguments and call the tool again.",
  MCP_OUTCOME_UNKNOWN: MAY_HAVE_RUN,
  MCP_LIMIT_EXCEEDED: "The request or its answer was too large; ask for less.",
  MCP_ABORTED: "The call was aborted; do not repeat it on your own.",
  MCP_CLOSED: DO_NOT_REPEAT,
  MCP_INTERNAL: DO_NOT_REPEAT,
};
