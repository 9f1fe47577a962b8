import { isPlainJsonText } from "./clean-text.ts";
import { holdsControlCharacter } from "./control-sequences.ts";
import { hiddenCharacters, pointName } from "./hidden-characters.ts";
import { nameProblem } from "./name-problem.ts";
import { BY_NAME, DATA, MAX_SCHEMA_DEPTH, NAMES } from "./schema-keywords.ts";

/**
 * Why a schema cannot be cleaned, if it cannot: the name of an argument or a keyword holds an invisible character; a value
 * holds control characters, Unicode tags or supplementary variation selectors, which only serve to hide text; or the schema is
 * nested too deeply to check.
 */
export function schemaProblem(schema: unknown, depth = 0): string | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  if (depth >= MAX_SCHEMA_DEPTH) return depthProblem(schema);
  return firstProblem(Object.entries(schema), ([keyword, value]) => {
    if (DATA.has(keyword)) return everyText(value, depth + 1, valueProblem);
    if (NAMES.has(keyword)) return everyText(value, depth + 1, argumentProblem);
    const hidden = nameProblem(keyword);
    if (hidden !== undefined) return `the name of a keyword holds ${hidden}`;
    if (!BY_NAME.has(keyword) || typeof value !== "object" || value === null)
      return schemaProblem(value, depth + 1);
    return firstProblem(Object.entries(value), ([name, inner]) => {
      const problem = argumentProblem(name);
      if (problem !== undefined) return problem;
      return Array.isArray(inner)
        ? everyText(inner, depth + 2, argumentProblem)
        : schemaProblem(inner, depth + 2);
    });
  });
}

function argumentProblem(name: string): string | undefined {
  const hidden = nameProblem(name);
  return hidden && `the name of an argument holds ${hidden}`;
}

/** Unicode tags begin here, supplementary variation selectors follow. Other hidden characters may be honest typing errors. */
const FIRST_TAG = 0xe0000;

function valueProblem(text: string): string | undefined {
  if (holdsControlCharacter(text)) return "a value of an argument holds control characters";
  for (const { codePoint } of hiddenCharacters(text)) {
    if (codePoint >= FIRST_TAG)
      return `a value of an argument holds the invisible character ${pointName(codePoint)}`;
  }
  return undefined;
}

/** The first problem of all texts in a value, names of members included. */
function everyText(
  value: unknown,
  depth: number,
  problemOf: (text: string) => string | undefined,
): string | undefined {
  if (typeof value === "string") return problemOf(value);
  if (typeof value !== "object" || value === null) return undefined;
  if (depth >= MAX_SCHEMA_DEPTH) return depthProblem(value);
  return firstProblem(Object.entries(value).flat(), (part) => everyText(part, depth + 1, problemOf));
}

/** A value that is nested too deeply to check is accepted only if its JSON is certainly plain. */
function depthProblem(value: object): string | undefined {
  try {
    if (isPlainJsonText(JSON.stringify(value))) return undefined;
  } catch {
    // It is nested too deeply to be written as JSON.
  }
  return "its schema is nested too deeply";
}

function firstProblem<T>(
  parts: readonly T[],
  problemOf: (part: T) => string | undefined,
): string | undefined {
  for (const part of parts) {
    const problem = problemOf(part);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
