import { visibleText } from "@jackfield/mcp-config";
import type { LogFields, Logger } from "@jackfield/mcp-core";
import { printableMessage } from "./printable-message.ts";

/** How many lines are remembered: a program that runs for months must not collect them. */
const MOST_REMEMBERED = 1_000;

/** What differs from one attempt to the next that fails in the same way. */
const NEXT_ATTEMPT = / Attempt \d+ follows .*$/;

/** Fields that say in other words what the message says. */
const SAID_BY_MESSAGE: ReadonlySet<string> = new Set(["server", "code", "attempt", "retryAt"]);

/**
 * Where a runtime without a `log` says what goes wrong: on standard error, a line each. The same line is not repeated before its server or
 * file was heard of in another way, for example because it can be used again.
 */
export function warningsOnStandardError(): Logger {
  /** By what was told, the server or file that it is about. */
  const told = new Map<string, unknown>();
  return (level, message, fields = {}) => {
    if (level === "debug") return;
    const subject = fields.server ?? fields.file;
    if (level === "info") {
      for (const [news, about] of told) if (subject !== undefined && about === subject) told.delete(news);
      return;
    }
    const line = `jackfield: ${message}${furtherFields(message, fields)}`;
    const news = line.replace(NEXT_ATTEMPT, "");
    if (told.has(news)) return;
    const [oldest] = told.size < MOST_REMEMBERED ? [] : told.keys();
    if (oldest !== undefined) told.delete(oldest);
    told.set(news, subject);
    // biome-ignore lint/suspicious/noConsole: `console.error`, because a write to a standard error that is closed would end the process.
    console.error(printableMessage(line, () => visibleText));
  };
}

/** What the message leaves open, such as the reason of a failure. */
function furtherFields(message: string, fields: LogFields): string {
  const names = Object.keys(fields).filter((name) => !SAID_BY_MESSAGE.has(name));
  if (fields.server !== undefined && !message.includes(JSON.stringify(fields.server).slice(1, -1)))
    names.unshift("server");
  const texts = names.flatMap((name) => {
    const value = fields[name];
    const text = typeof value === "object" ? JSON.stringify(value) : String(value);
    return value === undefined || message.includes(text) ? [] : [`${name}: ${text}`];
  });
  return texts.length === 0 ? "" : ` (${texts.join(", ")})`;
}
