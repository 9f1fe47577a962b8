import { Redactor, type ResolvedServer, type TextCut } from "@jackfield/mcp-core";
import type { ChannelFacts, ProcessExit } from "../channel.ts";

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
export function shownStderr({ stderr }: ChannelFacts, redactor: Redactor): string | undefined {
  return stderr && hiddenStderr(stderr, redactor).slice(-SHOWN_STDERR_LENGTH).toWellFormed();
}

function hiddenStderr(stderr: string, redactor: Redactor): string {
  return redactor.hide(stderr, { start: true, end: true });
}

/** A sentence about the proxy between, with a space before it: what failed may be that, and not the server. Empty if there is none. */
export function describeProxy({ proxy }: ChannelFacts): string {
  return proxy === undefined ? "" : ` It was asked through the proxy ${proxy}, which may be what fails.`;
}

/** `with code 1`, or `on signal SIGKILL`. */
export function describeExit({ code, signal }: ProcessExit): string {
  return signal ? `on signal ${signal}` : `with code ${code}`;
}

/** A sentence about lines that are not JSON-RPC, with a space before it; empty if there were none. */
export function describeStray({ stray }: ChannelFacts, redactor: Redactor): string {
  if (!stray) return "";
  const lines = stray.lines === 1 ? "1 line that is" : `${stray.lines} lines that are`;
  return ` It printed ${lines} not JSON-RPC to its standard output, the first: "${excerpt(stray.first, redactor, { end: true })}".`;
}

/** The end of a sentence about a server that sent too many requests without reading the answers. */
export function describeTooManyRequests({ limit }: { readonly limit: number }): string {
  return `sent more than ${limit} requests without reading an answer, and was disconnected. Report this to its developers.`;
}

/** Blank lines, and those that runtimes print after the reason of an exit: stack frames, braces, their version, the path of a log. */
const EPILOGUE = /^\s*(?:at |[{}\]^~]|Node\.js v\d|npm \S+ A complete log)|^\s*$/;
const REASON = /(?:error|exception|fatal|panicked)\b/i;

/** A sentence, with a space before it, that quotes the last line of standard error with a reason, or else the last useful line. */
export function describeLastWords({ stderr = "" }: ChannelFacts, redactor: Redactor): string {
  // Credentials of several lines can be told only before the lines are taken apart.
  const lines = hiddenStderr(stderr, redactor)
    .split("\n")
    .filter((line) => !EPILOGUE.test(line));
  const last = lines.findLast((line) => REASON.test(line)) ?? lines.at(-1);
  return last ? ` Its last error output: "${excerpt(last, redactor)}".` : "";
}
