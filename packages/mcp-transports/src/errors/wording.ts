import { redact } from "@jackfield/mcp-core";
import type { ChannelFacts, ProcessExit } from "../channel.ts";

/** How much of a server's text is shown, in characters. */
const EXCERPT_LENGTH = 200;
const SHOWN_STDERR_LENGTH = 8 * 1024;

/** Control characters, line breaks included: what a server wrote must not move a terminal's cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/** A server's text as one short line for a message. It is redacted before it is cut, so that no part of a secret is left. */
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

/** The end of a sentence about a server that sent too many requests without reading the answers. */
export function describeTooManyRequests({ limit }: { readonly limit: number }): string {
  return `sent more than ${limit} requests without reading an answer, and was disconnected. Report this to its developers.`;
}

/** Blank lines, and those that runtimes print after the reason of an exit: stack frames, braces, their version, the path of a log. */
const EPILOGUE = /^\s*(?:at |[{}\]^~]|Node\.js v\d|npm \S+ A complete log)|^\s*$/;
const REASON = /(?:error|exception|fatal|panicked)\b/i;

/** A sentence, with a space before it, that quotes the last line of standard error with a reason, or else the last useful line. */
export function describeLastWords({ stderr }: ChannelFacts, secrets: readonly string[]): string {
  const lines = stderr?.split("\n").filter((line) => !EPILOGUE.test(line)) ?? [];
  const last = lines.findLast((line) => REASON.test(line)) ?? lines.at(-1);
  return last ? ` Its last error output: "${excerpt(last, secrets)}".` : "";
}

/** The cause, if nothing that a logger could print of it contains a secret. */
export function harmlessCause(cause: unknown, secrets: readonly string[]): unknown {
  if (secrets.length === 0) return cause;
  const { inspect } = process.getBuiltinModule("node:util");
  try {
    const printed = inspect(cause, { depth: 6, maxStringLength: null, maxArrayLength: null });
    return redact(printed, secrets) === printed ? cause : undefined;
  } catch {
    return undefined; // cannot be printed, so cannot be checked
  }
}
