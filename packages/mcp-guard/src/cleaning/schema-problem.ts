import { findHiddenCharacters } from "./hidden-characters.ts";
import { nameProblem } from "./name-problem.ts";
import { BY_NAME, DATA, MAX_SCHEMA_DEPTH } from "./schema-keywords.ts";

/**
 * Why a schema cannot be made harmless, if it cannot: what has to stay as it is hides something. That is the name of an
 * argument with any invisible character, and a value with Unicode tags, which have no use but to hide a text.
 */
export function schemaProblem(schema: unknown, depth = 0): string | undefined {
  if (typeof schema !== "object" || schema === null || depth >= MAX_SCHEMA_DEPTH) return undefined;
  return firstProblem(Object.entries(schema), ([keyword, value]) => {
    if (DATA.has(keyword)) return dataProblem(value, depth + 1);
    if (!BY_NAME.has(keyword) || typeof value !== "object" || value === null)
      return schemaProblem(value, depth + 1);
    return firstProblem(Object.entries(value), ([name, inner]) => {
      const hidden = nameProblem(name);
      if (hidden !== undefined) return `the name of an argument holds ${hidden}`;
      return schemaProblem(inner, depth + 2);
    });
  });
}

function dataProblem(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") {
    const hidden = findHiddenCharacters(value).find(({ kind }) => kind === "tag");
    return hidden && `a value of an argument holds the invisible character ${hidden.codePoint}`;
  }
  if (typeof value !== "object" || value === null || depth >= MAX_SCHEMA_DEPTH) return undefined;
  return firstProblem(Object.entries(value).flat(), (part) => dataProblem(part, depth + 1));
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
