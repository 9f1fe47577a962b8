import { stripVTControlCharacters } from "node:util";
import { type ErrorCode, isMcpError, McpError, withoutCredentialForms } from "@jackfield/mcp-core";

/** The longest text `errorText` gives, in bytes of UTF-8. */
export const MAX_ERROR_TEXT_BYTES = 2048;

/** The longest name in an error text, in characters; names come from servers and files, and may be of any length. */
const MAX_NAME_LENGTH = 64;

/** How much of a text is read, in characters: far more than fits, even after escape sequences are removed. */
const MAX_READ_LENGTH = 65_536;

/** Where an error happened, for errors that do not say so themselves. */
export interface ErrorPlace {
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
}

/**
 * The text that a model reads about a failed call: one line of at most 2 KiB, without control characters or escape sequences,
 * with the server's and the tool's name, reduced to `[A-Za-z0-9._-]`, and advice on what to do. Whatever looks like a secret is replaced. If the outcome is
 * unknown, the text says that the call may have run and must not simply be repeated. Of the error's details only the code and
 * the message are used, never its cause or stack; of anything but an `McpError` nothing is used, since it may carry a secret.
 */
export function errorText(error: unknown, place: ErrorPlace = {}): string {
  const known = isMcpError(error) ? error : unexpectedError(error, place);
  const server = nameText("of the MCP server", known.server ?? place.server);
  const tool = nameText("tool", known.tool ?? place.tool);
  const advice = ERROR_ADVICE[known.code];
  const sentences = [
    `The call${tool === "" ? "" : ` to the${tool}`}${server} failed (${known.code}).`,
    // The advice stands before the message, which is the part that may be cut.
    isOutcomeUnknown(known) ? MAY_HAVE_RUN : advice,
    cleanText(known.message),
  ];
  return cut(sentences.join(" ").trim());
}

/** Cleans and cuts a program's own text as `errorText` does, to one line for a model. */
export function modelText(text: string): string {
  return cut(cleanText(text));
}

/** Cleans a text of a server, and cuts it to one line of at most so many characters, at a word's end. */
export function plainLine(text: string, most: number): string {
  const line = cleanText(text).replace(/\s+/g, " ");
  if (line.length <= most) return line;
  const start = line.slice(0, most - 1);
  const end = start.lastIndexOf(" ");
  return `${start.slice(0, end > most / 2 ? end : most).toWellFormed()}${ELLIPSIS}`;
}

/** Wraps a thrown value that is not an `McpError`. The outcome is unknown, since the call may have been made. */
export function unexpectedError(cause: unknown, place: ErrorPlace): McpError {
  return new McpError("MCP_INTERNAL", "An unexpected error occurred on the way to the server.", {
    ...place,
    phase: "call",
    outcome: "unknown",
    cause,
  });
}

function isOutcomeUnknown(error: McpError): boolean {
  return error.outcome === "unknown" || error.code === "MCP_OUTCOME_UNKNOWN";
}

/** A name reduced to what cannot be a sentence or leave its quotation marks, as in the markers of `@jackfield/mcp-guard`. */
function nameText(role: string, name: string | undefined): string {
  if (name === undefined) return "";
  const plain = cleanText(name)
    .slice(0, MAX_NAME_LENGTH)
    .replace(/[^A-Za-z0-9._-]/g, "_");
  return ` ${role} "${plain}"`;
}

const ESCAPE = "\u001b";
const BELL = "\u0007";
const STRING_TERMINATOR = "\u009c";

/** What a terminal would take for a link, a title and the like; of one that never ends, only the introducer. */
const CONTROL_STRING = new RegExp(
  `${ESCAPE}\\](?:[^${BELL}${ESCAPE}${STRING_TERMINATOR}]*(?:${BELL}|${ESCAPE}\\\\|${STRING_TERMINATOR}))?`,
  "g",
);

/** Stands for a removed control string, so that what was around it does not join to a new one; invisible, so it goes, too. */
const REMOVED = "\u200b";

// The sources of two patterns, which are built when an error is shown: a set of Unicode characters is built as soon as its literal
// is read, even in a function that never runs.

/** Tabs, line ends and separators, lone surrogates: what they separate stays apart. */
const SEPARATING = String.raw`[\t-\r\u0085\p{Zl}\p{Zp}\p{Cs}]+`;

/** Characters that are not seen, such as the other control characters. They hide or reorder text, and split a secret without showing it. */
const INVISIBLE = String.raw`[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+`;

/** Redacts before anything is cut for display, and marks an earlier cut, behind which the rest of a secret may be. */
function cleanText(text: string): string {
  const read = text.length > MAX_READ_LENGTH ? `${text.slice(0, MAX_READ_LENGTH)}${ELLIPSIS}` : text;
  // The control strings go first: for those that never end, Node's expression takes quadratic time.
  const plain = stripVTControlCharacters(read.replace(CONTROL_STRING, REMOVED));
  // Lone surrogates go before what is invisible: two of them could become a character when what is between them is removed.
  const separated = plain.replace(new RegExp(SEPARATING, "gu"), " ");
  const visible = separated.replace(new RegExp(INVISIBLE, "gu"), "").trim();
  return withoutCredentialForms(visible);
}

const ELLIPSIS = "…";

function cut(text: string): string {
  const encoder = new TextEncoder();
  if (encoder.encode(text).length <= MAX_ERROR_TEXT_BYTES) return text;
  const room = new Uint8Array(MAX_ERROR_TEXT_BYTES - encoder.encode(ELLIPSIS).length);
  return text.slice(0, encoder.encodeInto(text, room).read) + ELLIPSIS;
}

/** Advice for every call whose outcome is unknown, whatever its code. */
const MAY_HAVE_RUN =
  "It is unknown whether the call succeeded: it may have run. " +
  "Do not simply repeat it; check first whether it took effect.";

const TRY_LATER = "The server cannot be reached at the moment; continue without it, or try again later.";
const DO_NOT_REPEAT = "Calling again will not help; say so, and continue without this tool.";
const NEEDS_SETUP = "A person must change the setup first; continue without this tool.";

/** What a model can do about each error. Where the outcome is unknown, `MAY_HAVE_RUN` is used instead. */
const ERROR_ADVICE: Readonly<Record<ErrorCode, string>> = {
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
