import { expandVariables, hasVariables, type VariableDialect } from "../variables.ts";
import { foreignVariableIn, SPELLED_SOMEWHERE } from "./foreign-variables.ts";

/** A text in which marks replace the references. */
export interface MarkedText {
  readonly marked: string;
  /** The default of each reference, by the number of its mark; empty if it has none. */
  readonly defaults: readonly string[];
}

/** Replaces a reference, and holds its number. */
const MARK = /\uE000\d+\uE000/g;

/** Any reference in braces, and the spellings of other hosts. The first group is the content of the braces. */
const SPELLED_ANYHOW = new RegExp(String.raw`\$\{\{?([^{}]*)\}\}?|${SPELLED_SOMEWHERE.source}`, "g");

/** The text after `:-` in a reference whose host has no defaults. */
const DEFAULT_INSIDE = /^\$\{[^{}?]+?:-(.*)\}$/s;

/**
 * A text that some host reads as a single reference: `$NAME`, `%NAME%`, `$env:NAME`, `{env:NAME}`, `{file:path}`, `{name}`, or a command.
 * `$name` and `%name%` may be passwords, so only capitals count there. The closing brace is optional, because inside a default it ends
 * the outer reference. `markReferences` finds references that begin with `${`.
 */
const WHOLE_REFERENCE =
  /^(?:\$[A-Z_][A-Z0-9_]*|%[A-Z_][A-Z0-9_]*%|\$env:[A-Za-z_]\w*|\{(?:env|file):[^{}]+\}?|\{[A-Za-z_][\w.-]*\}|\$\(.*\)|!\S+\s.*)$/s;

/** Whether a text is nothing but a reference, in the spelling of any host. */
export function isWholeReference(text: string): boolean {
  return WHOLE_REFERENCE.test(text);
}

/** Whether a text contains a reference, in its own host's spelling or another's. */
export function refersSomehow(text: string, variables: VariableDialect, isValue: boolean): boolean {
  if (text.includes("${") || hasVariables(text, variables, isValue)) return true;
  return foreignVariableIn(text, variables, isValue) !== undefined;
}

/** Replaces references by marks, including references in another host's spelling. */
export function markReferences(text: string, variables: VariableDialect, isValue: boolean): MarkedText {
  if (!refersSomehow(text, variables, isValue)) return { marked: text, defaults: [] };
  const defaults: string[] = [];
  const mark = (given = "") => `\uE000${defaults.push(given) - 1}\uE000`;
  // Hosts that know `$NAME` would read `$env:NAME` as the variable `env` and some text, which nobody means.
  const powerShell = text.replace(/\$env:[A-Za-z_]\w*/g, () => mark());
  const own = expandVariables(
    powerShell,
    ({ defaultText, written }) => mark(defaultText ?? DEFAULT_INSIDE.exec(written)?.[1]),
    variables,
    isValue,
  );
  const marked = own.replace(SPELLED_ANYHOW, (_written, inner = "") => {
    const at = inner.indexOf(":-");
    return mark(at === -1 ? "" : inner.slice(at + 2));
  });
  return { marked, defaults };
}

/** The text between the marks in a part of a marked text. */
export function besideMarks(part: string): readonly string[] {
  return part.split(MARK);
}

/** The defaults of the references in a part of a marked text. */
export function defaultsIn(part: string, { defaults }: MarkedText): readonly string[] {
  return Array.from(part.matchAll(MARK), ([mark]) => defaults[Number(mark.slice(1, -1))] ?? "");
}
