import { isMap } from "../documents/json-value.ts";
import { isMadeOf, withLowerBeginning } from "../filters/server-pattern.ts";
import type { KnownTarget, KnownText } from "./claude-known-texts.ts";

/** A line of a list: exactly one of a name, a whole command line and a URL with `*` in it. */
export interface ListLine {
  readonly kind: "serverName" | "serverCommand" | "serverUrl";
  /**
   * Whether it means the server; `undefined` if it may, once references have their values. A list that denies takes that for yes and
   * one that allows for no, so that nobody gets past them by writing a reference.
   */
  means(target: KnownTarget): boolean | undefined;
}

/** A line that cannot be read is left out; the others still count. */
export function readListLines(list: unknown): readonly ListLine[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.flatMap((line: unknown): ListLine[] => {
    if (!isMap(line)) return [];
    const { serverName, serverCommand, serverUrl } = line;
    if ([serverName, serverCommand, serverUrl].filter((found) => found !== undefined).length !== 1) return [];
    if (typeof serverName === "string") {
      return [{ kind: "serverName", means: ({ server }) => server.name === serverName }];
    }
    if (Array.isArray(serverCommand)) return [commandLine(serverCommand)];
    return typeof serverUrl === "string" ? [urlLine(serverUrl)] : [];
  });
}

function commandLine(line: readonly unknown[]): ListLine {
  return {
    kind: "serverCommand",
    means: ({ server, written, known }) => {
      if (server.written.transport !== "stdio") return false;
      const isAsWritten =
        written.length === line.length && written.every((text, index) => text === line[index]);
      return answerOf(compareWords(known, line), isAsWritten);
    },
  };
}

/** Compares word by word. One of which nothing is known may turn out to be several, as the answer to a question can be. */
function compareWords(known: readonly KnownText[], line: readonly unknown[]): (boolean | undefined)[] {
  const open = known.findIndex(isUnknown);
  if (open === -1) return known.length === line.length ? compareEach(known, line) : [false];
  const behind = known.slice(known.findLastIndex(isUnknown) + 1);
  if (open + behind.length > line.length) return [false];
  const ends = compareEach(behind, line.slice(line.length - behind.length));
  return [undefined, ...compareEach(known.slice(0, open), line), ...ends];
}

function isUnknown(text: KnownText): boolean {
  return text.length > 1 && text.every((part) => part === "");
}

function compareEach(known: readonly KnownText[], line: readonly unknown[]): (boolean | undefined)[] {
  return known.map((text, index) => {
    const word = line[index];
    return typeof word === "string" ? isMeant(text, [word]) : false;
  });
}

function urlLine(pattern: string): ListLine {
  const parts = withLowerBeginning(pattern).split("*");
  const lowered = pattern.toLowerCase().split("*");
  return {
    kind: "serverUrl",
    means: ({ server, written, known }) => {
      const [text = ""] = written;
      const [url = [""]] = known;
      if (server.written.transport === "stdio") return false;
      const isAsWritten = isMadeOf(withLowerBeginning(text), parts);
      const isWhole = url.length === 1;
      if (isWhole) return answerOf([isMeant(url.map(withLowerBeginning), parts)], isAsWritten);
      if (isSurelyMeant(url, parts)) return true;
      // Where the host ends is not known as long as something is missing, so case counts nowhere.
      const loweredUrl = url.map((part) => part.toLowerCase());
      return answerOf([isMeant(loweredUrl, lowered)], isAsWritten);
    },
  };
}

/** Whether only a `*` of the pattern depends on what is missing, and that is not the host. */
function isSurelyMeant(url: KnownText, pattern: readonly string[]): boolean {
  const [beginning = ""] = url;
  return /^[^/]*\/\/[^/?#]*[/?#]/.test(beginning) && isMadeOf(withLowerBeginning(url.join("\0")), pattern);
}

/** A list may also quote an entry with its references. That says who is meant, and not what the references lead to. */
function answerOf(answers: readonly (boolean | undefined)[], isAsWritten: boolean): boolean | undefined {
  if (answers.includes(false)) return isAsWritten ? undefined : false;
  return answers.includes(undefined) ? undefined : true;
}

/** Whether a text is one that a pattern describes; `undefined` if it can turn out to be one. */
function isMeant(text: KnownText, pattern: readonly string[]): boolean | undefined {
  const [whole = "", ...others] = text;
  if (others.length === 0) return isMadeOf(whole, pattern);
  return canBeSame(text, pattern) ? undefined : false;
}

/** Whether some text is made of the parts of both, with anything between them. */
function canBeSame(a: readonly string[], b: readonly string[]): boolean {
  const [[beginning = ""], [otherBeginning = ""]] = [a, b];
  const [end, otherEnd] = [a.at(-1) ?? "", b.at(-1) ?? ""];
  if (b.length === 1) return isMadeOf(otherBeginning, a);
  const [longBeginning, longEnd] = [longer(beginning, otherBeginning), longer(end, otherEnd)];
  // What is between can follow one another, so only the beginnings and the ends have to agree.
  return (
    [beginning, otherBeginning].every((text) => longBeginning.startsWith(text)) &&
    [end, otherEnd].every((text) => longEnd.endsWith(text))
  );
}

const longer = (a: string, b: string) => (a.length < b.length ? b : a);
