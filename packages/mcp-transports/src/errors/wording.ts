import {
  type CallOutcome,
  McpError,
  type McpErrorDetails,
  ownCredentials,
  Redactor,
  type ResolvedServer,
  type TextCut,
  thrownText,
} from "@jackfield/mcp-core";
import type { ConnectionFacts, ProcessExit } from "../transport.ts";

/** How much of a server's text is shown, in characters. */
const EXCERPT_LENGTH = 200;
const SHOWN_STDERR_LENGTH = 8 * 1024;

/** Control characters, line breaks included: what a server wrote must not move a terminal's cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/** What was last hidden for each server. */
const redactors = new WeakMap<
  ResolvedServer,
  { readonly values: readonly string[]; readonly redactor: Redactor }
>();

/**
 * Hides the credentials of a server's entry, and those of its connection, in log lines and errors about it.
 *
 * @param more - what its connection must not show: tokens, session ids
 */
export function redactorOf(server: ResolvedServer, more: readonly string[] = []): Redactor {
  const values = [...server.secrets, ...more];
  const last = redactors.get(server);
  const isSame =
    last?.values.length === values.length && values.every((value, at) => value === last.values[at]);
  if (isSame) return last.redactor;
  const redactor = new Redactor(values);
  redactors.set(server, { values, redactor });
  return redactor;
}

/** A server's text as one short line for a message. Credentials are hidden before it is cut, so that no part of one is left. */
export function excerpt(text: string, redactor: Redactor, cut?: TextCut): string {
  const line = redactor.hide(text, cut).replace(CONTROL_CHARACTERS, " ").trim();
  return line.length > EXCERPT_LENGTH ? `${line.slice(0, EXCERPT_LENGTH)}…` : line;
}

/** The end of standard error without credentials, at most 8 KiB. What was kept of it may begin, and end, in the middle of one. */
export function shownStderr({ stderr }: ConnectionFacts, redactor: Redactor): string | undefined {
  return stderr && hiddenStderr(stderr, redactor).slice(-SHOWN_STDERR_LENGTH).toWellFormed();
}

function hiddenStderr(stderr: string, redactor: Redactor): string {
  return redactor.hide(stderr, { start: true, end: true });
}

/** A sentence about the proxy between, with a space before it: what failed may be that, and not the server. Empty if there is none. */
export function describeProxy({ proxy }: ConnectionFacts): string {
  return proxy === undefined ? "" : ` It was asked through the proxy ${proxy}, which may be what fails.`;
}

/** `with code 1`, or `on signal SIGKILL`. */
export function describeExit({ code, signal }: ProcessExit): string {
  return signal ? `on signal ${signal}` : `with code ${code}`;
}

/** A sentence about lines that are not JSON-RPC, with a space before it; empty if there were none. */
export function describeStray({ stray }: ConnectionFacts, redactor: Redactor): string {
  return stray
    ? ` It printed ${strayLines(stray.lines)}, the first: "${excerpt(stray.first, redactor, { end: true })}".`
    : "";
}

export function strayLines(count: number): string {
  return `${count === 1 ? "1 line that is" : `${count} lines that are`} not JSON-RPC to its standard output`;
}

/** The end of a sentence about a server that sent too many requests without reading the answers. */
export function describeTooManyRequests({ limit }: { readonly limit: number }): string {
  return `sent more than ${limit} requests without reading an answer, and was disconnected. Report this to its developers.`;
}

/** Blank lines, and those that runtimes print after the reason of an exit: stack frames, braces, their version, the path of a log. */
const EPILOGUE = /^\s*(?:at |[{}\]^~]|Node\.js v\d|npm \S+ A complete log)|^\s*$/;
const REASON = /(?:error|exception|fatal|panicked)\b/i;

/** A sentence, with a space before it, that quotes the last line of standard error with a reason, or else the last useful line. */
export function describeLastWords({ stderr = "" }: ConnectionFacts, redactor: Redactor): string {
  // Credentials of several lines can be told only before the lines are taken apart.
  const lines = hiddenStderr(stderr, redactor)
    .split("\n")
    .filter((line) => !EPILOGUE.test(line));
  const last = lines.findLast((line) => REASON.test(line)) ?? lines.at(-1);
  return last ? ` Its last error output: "${excerpt(last, redactor)}".` : "";
}

/** What every error of one connection needs to know. */
export interface ErrorContext {
  readonly server: ResolvedServer;
  readonly facts: ConnectionFacts;
  /** Set only for a request for a page of a list. It may be a key to the server's data, and is not shown. */
  readonly cursor?: string | undefined;
}

/** The details that all errors share. */
export function commonDetails(context: ErrorContext, cause: unknown): McpErrorDetails {
  const redactor = hiding(context);
  return {
    server: context.server.name,
    stderr: shownStderr(context.facts, redactor),
    cause: redactor.hideIn(cause),
  };
}

/** Hides the credentials of the entry and of the connection. */
export function hiding({ server, facts, cursor }: ErrorContext): Redactor {
  return redactorOf(server, cursor ? [...(facts.secrets ?? []), cursor] : facts.secrets);
}

/** How a server is named in a message. */
export function nameOf({ server }: ErrorContext): string {
  return `Server "${server.name}"`;
}

/** The error with this outcome, unless it has one of its own. */
export function withOutcome(error: McpError, outcome: CallOutcome): McpError {
  if (error.outcome !== undefined) return error;
  return new McpError(error.code, error.message, { ...error.toJSON(), outcome, cause: error.cause });
}

/** Statuses that a proxy answers with when it does not reach the server, or does not let a client through. */
export const STATUSES_OF_PROXIES: ReadonlySet<number> = new Set([407, 502, 503, 504]);

/** What to do about a status that a server answered while it was being connected. */
export function adviseOnStatus(status: number): string {
  if (status >= 300 && status < 400)
    return "Set its URL to the address it redirects to, if that is the server you mean.";
  if (status === 404 || status === 405) return "Check the URL: there is no MCP endpoint at this path.";
  if (status === 407) return "Put the user and the password into the variable that names the proxy.";
  if (status === 429) return "It limits the rate of requests; try again later.";
  if (status >= 500) return "The problem is on the server's side; try again later.";
  return "Check the URL and the headers of its entry.";
}

/** What to do about missing authorization. Where the entry has credentials of its own, no login is used. */
export function adviseOnAuthorization(server: ResolvedServer): string {
  const isRemote = server.transport === "http" || server.transport === "sse";
  return ADVICE_ON_AUTHORIZATION[(isRemote && ownCredentials(server)) || "none"];
}

const ADVICE_ON_AUTHORIZATION = {
  url: "Correct the user and the password in its URL, or remove them and log in, and connect again.",
  // The credential need not be a header of the entry: some hosts take it from a variable or a key.
  header:
    "Correct the credential that its entry sends as Authorization (a header, or the variable or key that its host uses for it), or remove it and log in, and connect again.",
  none: "Log in, or give its entry a valid Authorization header, and connect again.",
} as const;

/** A configured header that cannot be sent. Its value may be a secret, and is not shown. */
export function invalidHeaderError({ name: server }: ResolvedServer, header: string): McpError {
  return new McpError(
    "MCP_CONFIG_INVALID",
    `Server "${server}" has a header that cannot be sent: ${JSON.stringify(header)}. Its name or value has characters that headers do not allow; correct "headers" in its entry.`,
    { server, phase: "handshake" },
  );
}

/** The statuses below 500 of temporary refusals. */
const TEMPORARY = new Set([408, 409, 425, 429]);

/** Whether a refusal with this status is temporary: the same request may succeed a little later. */
export function isTemporaryStatus(status: number): boolean {
  return status >= 500 || TEMPORARY.has(status);
}

/** Converts a thrown value to an `Error`. A host's function may throw anything, even a value that cannot be printed or inspected. */
export function asError(thrown: unknown): Error {
  return isError(thrown) ? thrown : new Error(thrownText(thrown));
}

/** Whether a value is an `Error`. `instanceof` throws for a revoked proxy, which does not count as one. */
function isError(thrown: unknown): thrown is Error {
  try {
    return thrown instanceof Error;
  } catch {
    return false;
  }
}

/** A URL without the parts that may be secret: user, password, query and fragment. */
export function displayUrl({ origin, protocol, pathname }: URL): string {
  // The origin of a URL such as `mailto:` is opaque, and written as "null".
  return (origin === "null" ? protocol : origin) + pathname;
}
