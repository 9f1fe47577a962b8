import type {
  FoundReference,
  ReferenceKind,
  UnsetRule,
  VariableDialect,
  VariableReference,
  VariableSource,
  VariableSyntax,
} from "./variables.ts";

/**
 * The beginning of a reference. A name is a run of visible characters without `$`, `{`, `}` and `:`, so `${A:+x}`,
 * `${env:A}`, `${}` and `${a + b}` are ordinary text.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a name may not contain
const BRACE_BEGINNING = /\$\{([^\s\u0000-\u001f\u007f-\u009f${}:]+)(:-|\})/y;

/**
 * `${NAME}` and `${NAME:-default}`. Of the names, `places` are places of the host, such as `workspaceFolder`; those with a prefix in
 * `inputs`, such as `user_config.`, are asked for.
 */
export function braces({
  places = [],
  inputs = [],
}: {
  readonly places?: readonly string[];
  readonly inputs?: readonly string[];
} = {}): VariableSyntax {
  const kindOf = (name: string): ReferenceKind => {
    if (places.includes(name)) return "place";
    return inputs.some((beginning) => name.startsWith(beginning)) ? "input" : "environment";
  };
  return (text, at) => {
    const match = matchAt(BRACE_BEGINNING, text, at);
    if (!match) return undefined;
    const [opening, name = "", mark] = match;
    const bodyFrom = at + opening.length;
    const bodyTo = mark === "}" ? bodyFrom - 1 : closingBrace(text, bodyFrom);
    if (bodyTo === undefined) return "unclosed";
    const defaultText = mark === "}" ? undefined : text.slice(bodyFrom, bodyTo);
    return found(text, at, bodyTo + 1, { kind: kindOf(name), name, defaultText });
  };
}

/** `${env:NAME}`, `${input:id}`, `${file:path}` and the like: the prefix tells what kind the rest is. */
export function prefixedBraces(prefixes: Prefixes): VariableSyntax {
  return matching(/\$\{([A-Za-z]+):([^{}]+)\}/y, prefixed(prefixes));
}

/** `{env:NAME}` and `{file:path}`, without a dollar sign. */
export function bareBraces(prefixes: Prefixes): VariableSyntax {
  return matching(/\{([A-Za-z]+):([^{}]+)\}/y, prefixed(prefixes));
}

/** `{name}`, a value that the user is asked for. */
export const bareName: VariableSyntax = matching(/\{([A-Za-z_][\w.-]*)\}/y, (name) => ({
  kind: "input",
  name,
}));

/** The beginning of a shell's reference in braces, with the mark of a default if it has one. */
const SHELL_BEGINNING = /\$\{([A-Za-z_]\w*)(:?-)?/y;

/** Text that a shell takes literally up to a closing brace: no command and no escape. It may end in a lone dollar sign. */
const SHELL_TEXT = /[^$}\\`]*(?:\\(?![$}\\`"])[^$}\\`]*)*\$?(?=\})/y;

/**
 * `${NAME}`, `${NAME:-default}` and `${NAME-default}`, as shells expand them. With the colon, the default also replaces an empty value. The
 * default is a text, or one nested reference of the same kind, as in `${A:-${B:-none}}` and `${A:-$B}`. Any other shell syntax
 * counts as unclosed.
 */
export const shellBraces: VariableSyntax = (text, at) => {
  if (!text.startsWith("${", at)) return undefined;
  const names: string[] = [];
  const marks = new Set<string>();
  let to = at;
  let depth = 0;
  let defaultText: string | undefined;
  let isDefault = true;
  while (isDefault) {
    const [opening, name, mark] = matchAt(SHELL_BEGINNING, text, to) ?? [];
    if (opening === undefined || name === undefined) break;
    names.push(name);
    to += opening.length;
    depth += 1;
    isDefault = mark !== undefined;
    if (mark !== undefined) marks.add(mark);
  }
  if (isDefault) {
    const [last, name] = matchAt(/\$([A-Za-z_]\w*)(?=\})/y, text, to) ?? [];
    defaultText = last === undefined ? matchAt(SHELL_TEXT, text, to)?.[0] : undefined;
    if (name !== undefined) names.push(name);
    to += (last ?? defaultText ?? "").length;
  }
  const [first, ...others] = names.map((name) => ({ kind: "environment", name }) as const);
  const isWhole = text.startsWith("}".repeat(depth), to) && marks.size <= 1;
  if (first === undefined || depth === 0 || !isWhole) return "unclosed";
  const otherwise = others.length > 0 ? others : undefined;
  const passesOverEmpty = marks.has(":-");
  return found(text, at, to + depth, { ...first, otherwise, defaultText, passesOverEmpty });
};

/** `${NAME:?message}`, which fails if the variable is not set, or is empty. */
export const requiredName: VariableSyntax = matching(/\$\{([A-Za-z_]\w*):\?[^{}]*\}/y, (name) => ({
  kind: "environment",
  name,
  whenUnset: "fail",
  passesOverEmpty: true,
}));

/** `${NAME}` alone, with white space around the name. */
export function bracedName(whenUnset?: UnsetRule): VariableSyntax {
  return matching(/\$\{\s*([A-Za-z_]\w*)\s*\}/y, (name) => ({ kind: "environment", name, whenUnset }));
}

/** `\$`, a literal dollar sign; of the backslashes before it, each further pair stands for one. */
export const escapedDollar: VariableSyntax = (text, at) => {
  if (text[at] !== "$") return undefined;
  let from = at;
  while (text[from - 1] === "\\") from -= 1;
  const backslashes = at - from;
  if (backslashes % 2 === 0) return undefined;
  const defaultText = `${text.slice(from, from + (backslashes - 1) / 2)}$`;
  return { from, ...found(text, from, at + 1, { ...ALWAYS_THERE, defaultText }) };
};

/** `$env:NAME`, as in PowerShell. */
export function prefixedDollar(prefix: string): VariableSyntax {
  const pattern = new RegExp(`\\$${prefix}:([A-Za-z_]\\w*)`, "y");
  return matching(pattern, (name) => ({ kind: "environment", name }));
}

/** `${{ secrets.NAME }}` and `${{ inputs.NAME }}`: the word before the dot tells what kind the rest is. */
export function doubleBraces(prefixes: Prefixes): VariableSyntax {
  return matching(/\$\{\{\s*([A-Za-z]+)\.([^\s{}]+)\s*\}\}/y, prefixed(prefixes));
}

/**
 * `${env:NAME | op://… | value:default}`: sources in order, up to a plain value; the first non-empty one counts. Only `env` works
 * without the program that defines the source; any other is an `input`, for which an answer can be given.
 */
export const sourceChain: VariableSyntax = matching(/\$\{([^{}]*)\}/y, (inside) => {
  const written = inside.split("|").map((source) => source.trim());
  if (!written.every((source) => /^[A-Za-z][\w+.-]*:/.test(source))) return undefined;
  const end = written.findIndex((source) => source.startsWith(PLAIN_VALUE));
  const defaultText = end === -1 ? undefined : written[end]?.slice(PLAIN_VALUE.length);
  const [first = ALWAYS_THERE, ...otherwise] = written.slice(0, end === -1 ? undefined : end).map(sourceIn);
  return { ...first, otherwise, defaultText, passesOverEmpty: true };
});

const PLAIN_VALUE = "value:";

/** The source of a reference that consists of a plain value. */
const ALWAYS_THERE: VariableSource = { kind: "place", name: "value" };

function sourceIn(written: string): VariableSource {
  const name = written.slice(written.indexOf(":") + 1);
  if (written.startsWith("env:")) return { kind: "environment", name };
  return { kind: "input", name: written.startsWith("input:") ? name : written };
}

/** `${workspaceFolder}` and the like, exactly these names. */
export function bracedPlaces(...names: readonly string[]): VariableSyntax {
  return matching(/\$\{([\w/]+)\}/y, (name) => (names.includes(name) ? { kind: "place", name } : undefined));
}

/** `$NAME`, as in a shell. */
export function dollarName(whenUnset?: UnsetRule, places: readonly string[] = []): VariableSyntax {
  return matching(/\$([A-Za-z_]\w*)/y, (name) => {
    return { kind: places.includes(name) ? "place" : "environment", name, whenUnset };
  });
}

/** `%NAME%`, on Windows only. */
export const percentName: VariableSyntax = matching(/%([A-Za-z_]\w*)%/y, (name) => ({
  kind: "environment",
  name,
  platform: "win32",
}));

/** `$(command)`: the output of a command. */
export const commandSubstitution: VariableSyntax = (text, at) => {
  if (!text.startsWith("$(", at)) return undefined;
  const end = commandEnd(text, at + 2);
  if (end === undefined) return "unclosed";
  return found(text, at, end + 1, { kind: "command", name: text.slice(at + 2, end) });
};

/** `!command` as a whole value: the output of a command. */
export const leadingCommand: VariableSyntax = (text, at) => {
  if (at !== 0 || !text.startsWith("!")) return undefined;
  return found(text, 0, text.length, { kind: "command", name: text.slice(1) });
};

/** Whether this dialect allows a command in place of a value. */
export function knowsCommands({ syntaxes, valueSyntaxes = [] }: VariableDialect): boolean {
  return syntaxes.some(isCommand) || valueSyntaxes.some(isCommand);
}

function isCommand(syntax: VariableSyntax): boolean {
  return syntax === commandSubstitution || syntax === leadingCommand;
}

/** Matches a sticky pattern at a position. */
function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** Builds the result of a syntax. */
function found(
  text: string,
  from: number,
  to: number,
  reference: Omit<VariableReference, "written">,
): FoundReference {
  return { to, reference: { written: text.slice(from, to), ...reference } };
}

type Prefixes = { readonly [prefix: string]: ReferenceKind };

/** Reads a prefix and a name; text with another prefix is no reference. */
function prefixed(prefixes: Prefixes) {
  return (prefix: string, name = "") => {
    const kind = Object.hasOwn(prefixes, prefix) ? prefixes[prefix] : undefined;
    return kind && { kind, name: name.trim() };
  };
}

/** A syntax of a sticky pattern, whose groups tell the reference. */
function matching(
  pattern: RegExp,
  read: (group: string, second?: string) => Omit<VariableReference, "written"> | undefined,
): VariableSyntax {
  return (text, at) => {
    const [whole = "", first = "", second] = matchAt(pattern, text, at) ?? [];
    const reference = whole === "" ? undefined : read(first, second);
    return reference && found(text, at, at + whole.length, reference);
  };
}

/**
 * The position of the parenthesis that closes a command, as a shell finds it: nested pairs, quoted and escaped text are skipped.
 *
 * @param from - where the command begins
 */
function commandEnd(text: string, from: number): number | undefined {
  /** The closing characters of everything that is open, the innermost last. */
  const closers = [")"];
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] as string;
    const closer = closers.at(-1);
    if (character === closer) {
      closers.pop();
      if (closers.length === 0) return at;
    } else if (character === "\\") {
      at += 1;
    } else if (character === "'" && closer !== '"') {
      at = text.indexOf("'", at + 1);
      if (at === -1) return undefined;
    } else if (character === '"' || character === "`") {
      closers.push(character);
    } else if (text.startsWith("$(", at)) {
      closers.push(")");
      at += 1;
    } else if (character === "(" && closer === ")") {
      closers.push(")");
    }
  }
  return undefined;
}

/** The position of the brace that closes one opened before `from`; nested `${…}` are skipped. */
function closingBrace(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text.startsWith("${", at)) depth += 1;
    else if (text[at] === "}" && depth === 0) return at;
    else if (text[at] === "}") depth -= 1;
  }
  return undefined;
}
