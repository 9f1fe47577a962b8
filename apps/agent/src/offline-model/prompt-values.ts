import { splitWords } from "./prompt-words.ts";

interface PromptValue {
  readonly kind: "quoted" | "bare" | "number";
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface LabelledValue extends PromptValue {
  /** The property this value was written for, if any. */
  readonly property: string | undefined;
}

/** The values a person wrote into a prompt, handed out one after the other. */
export interface PromptValues {
  /** The prompt itself. */
  readonly prompt: string;
  /** Whether a value was written for this property, whatever its type. */
  isNamed(property: string): boolean;
  /** The text written for the property, else the next quoted text that belongs to no property. */
  takeText(property: string): string | undefined;
  /** The same for numbers. */
  takeNumber(property: string, options: { readonly integer: boolean }): number | undefined;
  /** The same for `true`, `false`, `yes` and `no`. */
  takeBoolean(property: string): boolean | undefined;
}

const QUOTED = /"([^"]*)"|“([^”]*)”|(?<![\p{L}\p{N}])'([^']*)'(?![\p{L}\p{N}])/gu;
const NUMBER = /(?<![\p{L}\p{N}_.-])-?\d+(?:\.\d+)?(?![\p{L}\p{N}_])/gu;
const BARE = /(?<=[\p{L}\p{N}_-]\s{0,3}[:=]\s{0,3})[^\s"“',;:=][^\s"“,;]*/gu;
const LABEL_CHARACTERS = 60;
/** Words that may stand between a property's name and its value: `the path is "x"`. */
const CONNECTORS = new Set(["as", "is", "are", "of"]);

/** The prompt without quoted text, which is data and must not decide which tool is meant. */
export function withoutQuotedText(prompt: string): string {
  return prompt.replace(QUOTED, " ");
}

/** Reads the values of a prompt. `properties`: every name a value may be written for, as in `path "x"` or `path: x`. */
export function readPromptValues(prompt: string, properties: readonly string[]): PromptValues {
  const values = findValues(prompt).map((value, index, all) => ({
    ...value,
    property: propertyBefore(prompt, value, all[index - 1], properties),
  }));
  const unused = new Set<LabelledValue>(values);
  const take = (fits: (value: LabelledValue) => boolean): string | undefined => {
    const found = values.find((value) => unused.has(value) && fits(value));
    if (found !== undefined) unused.delete(found);
    return found?.text;
  };
  return {
    prompt,
    isNamed: (property) => values.some((value) => value.property === property && unused.has(value)),
    takeText: (property) =>
      take((value) => value.property === property) ??
      take((value) => value.kind === "quoted" && value.property === undefined),
    takeNumber(property, { integer }) {
      const fits = (value: LabelledValue) =>
        value.kind === "number" && (!integer || Number.isInteger(Number(value.text)));
      const text =
        take((value) => fits(value) && value.property === property) ??
        take((value) => fits(value) && value.property === undefined);
      return text === undefined ? undefined : Number(text);
    },
    takeBoolean(property) {
      const named = take((value) => value.property === property && toBoolean(value.text) !== undefined);
      return toBoolean(named ?? withoutQuotedText(prompt));
    },
  };
}

/** Finds the values in order; a value inside another one does not count. */
function findValues(prompt: string): PromptValue[] {
  const quoted = matches(prompt, QUOTED, "quoted");
  const numbers = matches(prompt, NUMBER, "number");
  const bare = matches(prompt, BARE, "bare");
  const kept: PromptValue[] = [];
  for (const value of [...quoted, ...numbers, ...bare].sort((a, b) => a.start - b.start)) {
    const last = kept.at(-1);
    if (last === undefined || value.start >= last.end) kept.push(value);
  }
  return kept;
}

function matches(prompt: string, pattern: RegExp, kind: PromptValue["kind"]): PromptValue[] {
  return [...prompt.matchAll(pattern)].map((match) => {
    const text = match.slice(1).find((group) => group !== undefined) ?? match[0];
    return {
      kind,
      text: kind === "bare" ? text.replace(/[.!?]$/, "") : text,
      start: match.index,
      end: match.index + match[0].length,
    };
  });
}

/** The longest property name whose words stand right before the value. */
function propertyBefore(
  prompt: string,
  value: PromptValue,
  previous: PromptValue | undefined,
  properties: readonly string[],
): string | undefined {
  const from = Math.max(previous?.end ?? 0, value.start - LABEL_CHARACTERS);
  const words = splitWords(prompt.slice(from, value.start));
  while (CONNECTORS.has(words.at(-1) ?? "")) words.pop();
  return properties
    .filter((property) => endsWith(words, splitWords(property)))
    .sort((a, b) => splitWords(b).length - splitWords(a).length)[0];
}

function endsWith(words: readonly string[], ending: readonly string[]): boolean {
  const tail = words.slice(-ending.length);
  return ending.length > 0 && tail.length === ending.length && ending.every((word, i) => word === tail[i]);
}

function toBoolean(text: string): boolean | undefined {
  const word = /(?<![\p{L}\p{N}])(true|yes|false|no)(?![\p{L}\p{N}])/iu.exec(text)?.[1]?.toLowerCase();
  return word === undefined ? undefined : word === "true" || word === "yes";
}
