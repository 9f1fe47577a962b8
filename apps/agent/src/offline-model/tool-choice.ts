import { withoutQuotedText } from "./prompt-values.ts";
import { splitWords, tellingWords } from "./prompt-words.ts";

/** The part of a tool that the choice depends on. */
export interface ChoosableTool {
  readonly name: string;
  readonly description?: string | undefined;
}

/** A prompt that scores less calls no tool. One of two words of a tool's name is just enough. */
const LEAST_SCORE = 4.5;
const MOST_DESCRIPTION_WORDS = 4;

/**
 * The tool that shares most words with the prompt, the first of them if several do, or none if no tool shares enough.
 * Quoted text does not count: it is data.
 */
export function chooseTool<T extends ChoosableTool>(prompt: string, tools: readonly T[]): T | undefined {
  const words = tellingWords(withoutQuotedText(prompt));
  let best: T | undefined;
  let bestScore = 0;
  for (const tool of tools) {
    const score = scoreTool(words, tool);
    if (score > bestScore) {
      best = tool;
      bestScore = score;
    }
  }
  return bestScore >= LEAST_SCORE ? best : undefined;
}

/**
 * How well a tool fits: 6 if all words of its name occur, in part if some do, and 2 for each of them, so that the longer of two
 * fully named tools wins; 1 for each word of its server's name; a half for each of a few words of its description. A quarter less
 * for each word of its server's name that does not occur: of two servers with the same tools, the one with the shorter name is the
 * usual one.
 */
function scoreTool(words: ReadonlySet<string>, tool: ChoosableTool): number {
  const { own, server } = nameWords(tool.name);
  const matched = countShared(own, words);
  if (matched === 0) return 0;
  const described = countShared(tellingWords(tool.description ?? ""), words);
  return (
    (6 * matched) / own.size +
    2 * matched +
    (5 * countShared(server, words) - server.size) / 4 +
    Math.min(described, MOST_DESCRIPTION_WORDS) / 2
  );
}

/** `mcp__filesystem__read_file` reads as server `filesystem` and tool `read file`; any other name is all tool. */
function nameWords(name: string): { own: Set<string>; server: Set<string> } {
  const parts = name.split("__").filter((part) => part !== "");
  const ownName = parts.at(-1) ?? name;
  const telling = tellingWords(ownName);
  return {
    own: telling.size > 0 ? telling : new Set(splitWords(ownName)),
    server: tellingWords(parts.slice(1, -1).join(" ")),
  };
}

function countShared(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  return [...some].filter((word) => others.has(word)).length;
}
