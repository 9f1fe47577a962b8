import type { ServerDefinition } from "@jackfield/mcp-core";
import { braces } from "./variable-syntax.ts";

/** What a reference refers to. */
export type ReferenceKind =
  /** A variable of the environment, or of the entry's own `env`. */
  | "environment"
  /** A place that the host knows, such as `workspaceFolder`. */
  | "place"
  /** A value that the user is asked for. */
  | "input"
  /** The contents of a file. */
  | "file"
  /** The output of a command, which runs only with `runCommands`. */
  | "command";

/** An answer to an `input`: one text, or a list of those chosen. */
export type Answer = string | readonly string[];

/** What happens to a reference without a value. */
export type UnsetRule = "fail" | "empty" | "literal";

/** Where a value comes from. */
export interface VariableSource {
  readonly kind: ReferenceKind;
  readonly name: string;
}

/** A reference inside a text, for example `${NAME}` or `${NAME:-default}`. */
export interface VariableReference extends VariableSource {
  /** Further sources, tried in this order until one has a value. */
  readonly otherwise?: readonly VariableSource[] | undefined;
  /** Literal text: references inside it are not expanded. */
  readonly defaultText?: string | undefined;
  /** The reference as written in the text. */
  readonly written: string;
  /** The rule of this syntax, where it differs from the dialect's. */
  readonly whenUnset?: UnsetRule | undefined;
  /** The only platform on which the host knows this syntax. */
  readonly platform?: NodeJS.Platform | undefined;
  /** Whether a source with an empty value is skipped like one without a value. */
  readonly passesOverEmpty?: boolean | undefined;
}

/** A reference and its position in the text. */
export interface FoundReference {
  /** Where it begins, if that is before the position at which it was recognised. */
  readonly from?: number | undefined;
  readonly to: number;
  readonly reference: VariableReference;
}

/** The characters that begin a reference, unless a value is a bare name. */
const REFERENCE_BEGINNING = /[$%{!]/g;

/** The first position from the given one at which a reference may begin; -1 if there is none. */
export function referenceBeginning(text: string, from = 0): number {
  REFERENCE_BEGINNING.lastIndex = from;
  return REFERENCE_BEGINNING.test(text) ? REFERENCE_BEGINNING.lastIndex - 1 : -1;
}

/**
 * Recognises one syntax of references at a position that holds `$`, `%`, `{` or `!`. `unclosed` means that a reference begins but
 * never ends, so that the rest of the text is left as it is.
 */
export type VariableSyntax = (text: string, at: number) => FoundReference | "unclosed" | undefined;

/** How the files of a host refer to variables. */
export interface VariableDialect {
  /** Tried in this order at each position. */
  readonly syntaxes: readonly VariableSyntax[];
  /** Further syntaxes for values of `env` and headers. */
  readonly valueSyntaxes?: readonly VariableSyntax[] | undefined;
  /** Whether a value of `env` or a header that consists of a variable's name alone refers to that variable, if it is set. */
  readonly bareNames?: boolean | undefined;
  /** What the host does with a reference without a value. */
  readonly whenUnset: UnsetRule;
  /** The same in values of `env` and headers, where it differs there. */
  readonly whenUnsetInValues?: UnsetRule | undefined;
  /**
   * Whether an entry's own `env` is a source for its other fields: `always`, or only for `remote` servers, for which `env` has no
   * other use.
   */
  readonly ownEnv: "always" | "remote";
  /**
   * The value of an `input` without an answer, in which references to places are then expanded; `undefined` if an answer is
   * required.
   */
  readonly unanswered?: ((id: string, definition: ServerDefinition) => Answer | undefined) | undefined;
  /** The places that the host also gives to its children, as variables of these names. */
  readonly childVariables?: readonly string[] | undefined;
  /** The definition without optional parts that refer to inputs, for which there is no answer. Default: nothing is left out. */
  readonly withoutUnanswered?:
    | (<T extends ServerDefinition>(definition: T, isAnswered: (id: string) => boolean) => T)
    | undefined;
  /** Environment variables that read as empty in the URL and the headers of a remote server, whatever their value. */
  readonly emptyInRemote?: readonly string[] | undefined;
  /**
   * The base of relative paths, before and after expansion: the project or extension of the file (`root`), or the file's own folder
   * (`file`). Default `root`.
   */
  readonly relativeTo?: "root" | "file" | undefined;
  /** Whether a header that is empty after expansion is omitted. */
  readonly omitsEmptyHeaders?: boolean | undefined;
  /** Whether references are expanded only in the URL and the headers of remote servers. */
  readonly remoteOnly?: boolean | undefined;
  /** Whether text in reference syntax is a reference in this entry; otherwise it stays as written. Default: it is. */
  readonly refersTo?: ((source: VariableSource, definition: ServerDefinition) => boolean) | undefined;
  /** Whether a source is secret in this entry, whatever its name. */
  readonly isSecret?: ((source: VariableSource, definition: ServerDefinition) => boolean) | undefined;
}

/** The dialect of Jackfield's own files and of servers in code. */
export const OWN_VARIABLES: VariableDialect = {
  // Claude Code fills it in, in the `.mcp.json` that both read.
  syntaxes: [braces({ places: ["CLAUDE_PROJECT_DIR"] })],
  whenUnset: "fail",
  ownEnv: "always",
  childVariables: ["CLAUDE_PROJECT_DIR"],
};

/** For hosts that expand no variables. */
export const NO_VARIABLES: VariableDialect = { syntaxes: [], whenUnset: "literal", ownEnv: "remote" };

/** The dialect that applies to entries of this transport. */
export function dialectFor(
  dialect: VariableDialect,
  { transport }: Pick<ServerDefinition, "transport">,
): VariableDialect {
  return dialect.remoteOnly && transport === "stdio" ? NO_VARIABLES : dialect;
}

/**
 * Replaces every reference in a single pass from left to right: inserted values are not scanned again, so a value that contains
 * `${…}` arrives as it is. An unclosed reference leaves the rest of the text as it is.
 *
 * @param isValue - whether the text is a value of `env` or a header
 */
export function expandVariables(
  text: string,
  fill: (reference: VariableReference) => string,
  dialect: VariableDialect = OWN_VARIABLES,
  isValue = false,
): string {
  let expanded = "";
  let copiedTo = 0;
  for (const { from, to, reference } of references(text, dialect, isValue)) {
    expanded += text.slice(copiedTo, from) + fill(reference);
    copiedTo = to;
  }
  return expanded + text.slice(copiedTo);
}

/**
 * Whether a text refers to a variable.
 *
 * @param isValue - whether the text is a value of `env` or a header
 */
export function hasVariables(
  text: string,
  dialect: VariableDialect = OWN_VARIABLES,
  isValue = false,
): boolean {
  return references(text, dialect, isValue).next().done !== true;
}

/** The sources of a reference, in the order in which they are tried. */
export function sourcesOf(reference: VariableReference): readonly VariableSource[] {
  return reference.otherwise ? [reference, ...reference.otherwise] : [reference];
}

/** Every reference in a text, from left to right. */
export function* references(
  text: string,
  dialect: VariableDialect,
  isValue: boolean,
): Generator<FoundReference & { readonly from: number }, void> {
  if (isBareName(text, dialect, isValue)) {
    const reference = { kind: "environment", name: text, written: text, whenUnset: "literal" } as const;
    yield { from: 0, to: text.length, reference };
    return;
  }
  const { syntaxes, valueSyntaxes = [] } = dialect;
  const known = isValue ? [...syntaxes, ...valueSyntaxes] : syntaxes;
  if (known.length === 0) return;
  let at = referenceBeginning(text);
  while (at !== -1) {
    const found = findAt(text, at, known);
    if (found === "unclosed") return;
    if (found) yield { ...found, from: found.from ?? at };
    at = referenceBeginning(text, found ? found.to : at + 1);
  }
}

/** Whether a text is a bare name that refers to a variable. */
export function isBareName(text: string, { bareNames }: VariableDialect, isValue: boolean): boolean {
  return bareNames === true && isValue && /^[A-Za-z_]\w*$/.test(text);
}

function findAt(text: string, at: number, syntaxes: readonly VariableSyntax[]) {
  for (const syntax of syntaxes) {
    const found = syntax(text, at);
    if (found) return found;
  }
  return undefined;
}
