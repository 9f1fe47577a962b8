import { isRecord } from "@jackfield/mcp-core";
import { compareWords, isMadeOf, type KnownText } from "../filters/known-text.ts";
import { withLowerBeginning } from "../filters/server-pattern.ts";
import { urlDenial } from "../filters/url-spelling.ts";
import type { KnownTarget } from "./known-target.ts";

/** A line of a list: exactly one of a name, a whole command line and a URL with `*` in it. */
export interface ListLine {
  readonly kind: "serverName" | "serverCommand" | "serverUrl";
  /**
   * Whether the line matches the server; `undefined` if it may match once references have values, or if it matches another spelling
   * of the same URL. Deny lists take `undefined` as a match and allow lists do not, so that no other spelling gets past them.
   */
  matches(target: KnownTarget): boolean | undefined;
}

/** A line that cannot be read is left out; the others still count. */
export function readListLines(
  list: readonly unknown[],
  onUnreadable: (index: number) => void,
): readonly ListLine[] {
  return list.flatMap((line: unknown, index): ListLine[] => {
    const read = isRecord(line) ? readLine(line) : undefined;
    if (read === undefined) onUnreadable(index);
    return read === undefined ? [] : [read];
  });
}

function readLine({
  serverName,
  serverCommand,
  serverUrl,
}: {
  readonly [field: string]: unknown;
}): ListLine | undefined {
  if ([serverName, serverCommand, serverUrl].filter((found) => found !== undefined).length !== 1) {
    return undefined;
  }
  if (typeof serverName === "string") {
    return { kind: "serverName", matches: ({ server }) => server.name === serverName };
  }
  if (isCommandLine(serverCommand)) return commandLine(serverCommand);
  return typeof serverUrl === "string" ? urlLine(serverUrl) : undefined;
}

function isCommandLine(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string");
}

function commandLine(line: readonly string[]): ListLine {
  return {
    kind: "serverCommand",
    matches: ({ server, written, known }) => {
      if (server.written.transport !== "stdio") return false;
      const isAsWritten =
        written.length === line.length && written.every((text, index) => text === line[index]);
      const answers = compareWords(known, line);
      // A line may also quote an entry with its references. That identifies the server, but not what its references resolve to.
      if (answers.includes(false)) return isAsWritten ? undefined : false;
      return answers.includes(undefined) ? undefined : true;
    },
  };
}

function urlLine(pattern: string): ListLine {
  const parts = withLowerBeginning(pattern).split("*");
  const mayMean = urlDenial(pattern);
  return {
    kind: "serverUrl",
    matches: (target) => {
      const { server, written, known } = target;
      if (server.written.transport === "stdio") return false;
      const [text = ""] = written;
      const [url = [""]] = known;
      if (isSurelyMeant(url, parts)) return true;
      const isAsWritten = isMadeOf(withLowerBeginning(text), parts);
      return isAsWritten || mayMean(target.forms) ? undefined : false;
    },
  };
}

/** Whether the pattern matches whatever the unknown parts hold: there it must have a `*`, and the host must have ended before. */
function isSurelyMeant(url: KnownText, pattern: readonly string[]): boolean {
  const [beginning = ""] = url;
  const isHostKnown = url.length === 1 || /^[^/]*\/\/[^/?#]*[/?#]/.test(beginning);
  return isHostKnown && isMadeOf(withLowerBeginning(url.join("\0")), pattern);
}
