import { redact } from "@jackfield/mcp-core";
import type { ChannelFacts, ProcessExit } from "../channel.ts";

/** What is shown of a text that a server wrote, in characters. */
const EXCERPT_LENGTH = 200;
const SHOWN_STDERR_LENGTH = 8 * 1024;

/** Control characters, line breaks included: what a server wrote must not move a terminal's cursor. */
const CONTROL_CHARACTERS = /[\p{Cc}\u2028\u2029]+/gu;

/** One line of a server's text, fit to stand in a message: redacted before it is cut, so that no half secret is left. */
export function excerpt(text: string, secrets: readonly string[]): string {
  const line = redact(text, secrets).replace(CONTROL_CHARACTERS, " ").trim();
  return line.length > EXCERPT_LENGTH ? `${line.slice(0, EXCERPT_LENGTH)}…` : line;
}

/** The redacted end of standard error, at most 8 KiB. */
export function shownStderr(facts: ChannelFacts, secrets: readonly string[]): string | undefined {
  return facts.stderr && redact(facts.stderr, secrets).slice(-SHOWN_STDERR_LENGTH).toWellFormed();
}

/** `with code 1`, or `on signal SIGKILL`. */
export function describeExit({ code, signal }: ProcessExit): string {
  return signal ? `on signal ${signal}` : `with code ${code}`;
}

/** A sentence about lines that are not JSON-RPC, with a space before it; empty if there were none. */
export function describeStray({ stray }: ChannelFacts, secrets: readonly string[]): string {
  if (!stray) return "";
  const lines = stray.lines === 1 ? "1 line that is" : `${stray.lines} lines that are`;
  return ` It printed ${lines} not JSON-RPC to its standard output, the first: "${excerpt(stray.first, secrets)}".`;
}

/** The end of a sentence about a server that asks without end. */
export function describeQuestions({ limit }: { readonly limit: number }): string {
  return `asked more than ${limit} things without taking an answer, and was disconnected. Report this to its maker.`;
}

/** What runtimes print after the reason of an end: stack frames, braces, their version, where a log is. */
const EPILOGUE = /^\s*(?:at |[{}\]^~]|Node\.js v\d|npm \S+ A complete log)|^\s*$/;
const REASON = /(?:error|exception|fatal|panicked)\b/i;

/** The last line of standard error that gives a reason, or else that says something, as a sentence with a space before it. */
export function describeLastWords({ stderr }: ChannelFacts, secrets: readonly string[]): string {
  const lines = stderr?.split("\n").filter((line) => !EPILOGUE.test(line)) ?? [];
  const last = lines.findLast((line) => REASON.test(line)) ?? lines.at(-1);
  return last ? ` Its last words: "${excerpt(last, secrets)}".` : "";
}

/** A cause may be kept only if nothing a logger could print of it holds a secret. */
export function harmlessCause(cause: unknown, secrets: readonly string[]): unknown {
  if (secrets.length === 0) return cause;
  const { inspect } = process.getBuiltinModule("node:util");
  try {
    const printed = inspect(cause, { depth: 6, maxStringLength: null, maxArrayLength: null });
    return redact(printed, secrets) === printed ? cause : undefined;
  } catch {
    return undefined; // what cannot be printed says nothing
  }
}
