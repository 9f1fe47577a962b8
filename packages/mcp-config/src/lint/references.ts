import type { EntryDialect } from "../entry/entry-dialect.ts";
import { isPlainValue, namedVariables } from "../entry/field-texts.ts";
import type { WrittenServer } from "../entry/written-server.ts";
import type { JsonPath } from "../read/json-value.ts";
import { expandVariables, references, type VariableDialect } from "../resolve/variables.ts";

/** What stands in place of a reference in a text that is searched for credentials; a placeholder by the rule for credentials. */
export const MARK = "${}";

const NAME = String.raw`([A-Za-z_]\w*)`;
const CAPITALS = "([A-Z_][A-Z0-9_]*)";

/**
 * References as hosts, shells and programs write them; the first group of each is the variable's name, if it has one. Plain `$NAME`,
 * `%NAME%` and `{NAME}` count in capitals only, since they occur in passwords; so does `${NAME}`, since names without capitals are
 * places, of which hosts have more than are known here.
 */
const ANYWHERE = new RegExp(
  [
    String.raw`\$\{\{\s*(?:[a-z]+\.)?([\w.-]*)[^{}]*\}\}`,
    String.raw`\$\{(?:env:)?${NAME}:?-[^{}]*\$\{[^{}]*\}[^{}]*\}`,
    String.raw`\$\{env:${NAME}(?::-[^{}]*)?\}`,
    String.raw`\$\{input:([^{}]*)\}`,
    String.raw`\$\{${NAME}:?[?+][^{}]*\}`,
    String.raw`\$\{\s*${CAPITALS}\s*(?::?-[^{}]*)?(?:\}|$)`,
    String.raw`\$\{[A-Za-z][\w-]*:(?!-)[^{}]*\}`,
    String.raw`\{env:${NAME}(?:\}|$)`,
    String.raw`\{(?:file|cmd|exec|secret|vault):[^{}]*(?:\}|$)`,
    String.raw`\{\{\s*([\w.-]*)[^{}]*\}\}`,
    String.raw`\$env:${NAME}`,
    String.raw`\$\([^()]*(?:\([^()]*\)[^()]*)*\)`,
    String.raw`\$\[${CAPITALS}\]`,
    String.raw`(?<=^|[\s/:=@"',;(-])\${1,2}${CAPITALS}(?=$|[\s/:=@"',;)&?.-])`,
    `%(?![0-9A-F]{2}%)${CAPITALS}%`,
  ].join("|"),
  "g",
);

/** The same for whole values, apart from the scheme of a header and the flag of an argument. */
const WHOLE = new RegExp(
  String.raw`^(?:(?:op|vault|keychain|keyring|doppler|infisical|bws|ssm|akv|sops|chamber|gcp-sm|gcp-secret|aws-sm|aws-ssm|secretsmanager|ref\+\w+):\S+|` +
    String.raw`(?:1password|onepassword|bw|bitwarden|secrets?|pass|lastpass|env|sm|gsm|keepass)://\S+|arn:aws[\w-]*:(?:secretsmanager|ssm):\S+|` +
    String.raw`@?(?:process\.|import\.meta\.|Deno\.)?env[.:]${NAME}|(?:process\.env|os\.environ)\[["']${NAME}["']\]|os\.environ/${NAME}|` +
    String.raw`(?:os\.)?(?:get)?env\(["']?${NAME}["']?\)|\$[Ee]nv:${NAME}|\$[A-Z_]+\([^()]*\)|` +
    String.raw`[#%@]\{${NAME}\}|\$${CAPITALS}\$|@${CAPITALS}@|!${CAPITALS}!|(?:\$?\[\[\s*${NAME}\s*\]\])|__(?=[A-Z])([A-Z\d_]*[A-Z\d])__|` +
    String.raw`\$([a-z]+(?:_[a-z]+)+)|%([a-z]+(?:_[a-z]+)+)%|` +
    String.raw`\`[^\`]*\`|!\w[\w./-]*\s.*|\{${CAPITALS}\})$`,
  "s",
);

const SCHEME = /^(?:(?:Bearer|Basic|Token)\s+(?=\S)|--?[\w-]+=)/i;

/** A cheap test that every text with a reference passes. */
const MAY_REFER = /[$%{!`:@#]|env[.(/[]|environ|__|\[\[/;

/** A reference that the host of its file does not fill in. */
export interface ForeignReference {
  readonly path: JsonPath;
  /** As written, but without anything that may be a credential, such as a default. */
  readonly shown: string;
  /** What the host does with it, if it does not pass it on unchanged. */
  readonly effect?: string | undefined;
  /** What to do instead. */
  readonly advice: string;
  /** The same variable in the host's own spelling, if it has one there. */
  readonly suggestion: string | undefined;
}

interface Found {
  readonly written: string;
  readonly name: string | undefined;
  readonly effect?: string;
  /** Set for a place that only other hosts know. */
  readonly place?: string;
}

const PLACE = "which is a folder or a mark that only other hosts know";

/** `env.NAME`, `NAME?message`, `NAME=default`, and what else shells do with a variable; the name is followed by anything. */
const ODD_NAME =
  /^(?:(?:env|vars?|config|user_config|secrets|inputs)\.([A-Za-z_]\w*)|([A-Za-z_]\w*)[?=+].*|[!#]?([A-Z_][A-Z\d_]*)(?:[#%,^@-].*|\/.*\/.*)|[!#]([A-Za-z_]\w*))$/s;

/** Places that other hosts know by these names, and how the same is written where there is such a spelling. */
const PLACES: { readonly [name: string]: readonly string[] } = Object.fromEntries(
  (
    [
      [
        "workspaceFolder workspaceRoot workspacePath projectRoot projectDir cwd",
        ["${CLAUDE_PROJECT_DIR}", "${workspaceFolder}", "${workspacePath}"],
      ],
      ["userHome home homedir", ["${userHome}", "${HOME}"]],
      ["__dirname extensionPath pathSeparator / workspaceFolderBasename fileDirname file", []],
      ["CLAUDE_PLUGIN_ROOT CLAUDE_PLUGIN_DATA PLUGIN_ROOT DESKTOP DOCUMENTS DOWNLOADS", []],
    ] as const
  ).flatMap(([names, spellings]) => names.split(" ").map((name) => [name, spellings])),
);

/** The first reference of a text that the host does not fill in. */
function foreignIn(text: string, variables: VariableDialect, isValue: boolean): Found | undefined {
  if (!MAY_REFER.test(text)) return undefined;
  let left = "";
  let copiedTo = 0;
  for (const { from, to, reference } of references(text, variables, isValue)) {
    const { kind, written, name, defaultText = "" } = reference;
    // No variable is called so: it is another syntax, which looks like this host's.
    if (kind === "environment" && Object.hasOwn(PLACES, name))
      return { written, name: undefined, place: name, effect: PLACE };
    const odd = kind === "environment" ? ODD_NAME.exec(name) : null;
    const meant = odd?.slice(1).find((group) => group !== undefined);
    if (meant !== undefined) return { written, name: meant, effect: "where no variable can have that name" };
    if (new RegExp(ANYWHERE).test(defaultText) || (kind === "environment" && defaultText.includes("${")))
      return { written, name, effect: "whose default is passed on as it stands" };
    left += `${text.slice(copiedTo, from)}\uE000`;
    copiedTo = to;
  }
  left += text.slice(copiedTo);
  const value = left.replace(SCHEME, "");
  const match = new RegExp(ANYWHERE).exec(left) ?? WHOLE.exec(value);
  if (!match) return undefined;
  const name = match.slice(1).find((group) => group !== undefined);
  return { written: match[0], name: name?.split(".").at(-1) };
}

/**
 * References in a spelling that the host of the file does not know, in every field. Arguments of shells, of code on a command line and
 * of `mcp-remote` are left out, because those programs fill them in themselves.
 */
export function foreignReferences(
  written: WrittenServer,
  texts: readonly { readonly text: string; readonly path: JsonPath; readonly isValue: boolean }[],
  variables: VariableDialect,
  dialect: EntryDialect,
): readonly ForeignReference[] {
  const found: ForeignReference[] = [];
  for (const { text, path, isValue } of texts) {
    const [field, key = ""] = path;
    if (field === "args" && fillsIn(written, Number(key))) continue;
    if ((field === "env" || field === "headers") && isPlainValue(written, field, String(key))) continue;
    const foreign = foreignIn(text, variables, isValue);
    if (foreign) found.push({ path, ...adviceFor(foreign, path, isValue, variables, dialect) });
  }
  for (const { path, name: text } of namedVariables(written)) {
    const foreign = foreignIn(
      text,
      { ...variables, syntaxes: [], valueSyntaxes: [], bareNames: false },
      false,
    );
    if (foreign) {
      const suggestion = foreign.name;
      const advice =
        suggestion === undefined ? "name a variable there" : `write ${suggestion}, the name alone`;
      found.push({ path, shown: shownAs(foreign), advice, suggestion });
    }
  }
  return found;
}

/** Whether a program fills in references of an argument itself. */
function fillsIn({ command = "", args = [] }: WrittenServer, index: number): boolean {
  const isShell = /(?:^|[\\/])(?:ba|z|da|fi|k)?sh(?:\.exe)?$|(?:^|[\\/])(?:cmd|powershell|pwsh)(?:\.exe)?$/i;
  const isOfShell = [command, ...args.slice(0, index)].some((word) => isShell.test(word));
  const isCode =
    /^(?:-[ecp]|-lc|--eval|--print)$/.test(args[index - 1] ?? "") && !/^[\w-]+=/.test(args[index] ?? "");
  return isOfShell || isCode || args.some((word) => /(?:^|[\\/@])mcp-remote(?:@|$)/.test(word));
}

function adviceFor(
  found: Found,
  path: JsonPath,
  isValue: boolean,
  variables: VariableDialect,
  dialect: EntryDialect,
): Omit<ForeignReference, "path"> {
  const [shown, effect] = [shownAs(found), found.effect];
  if (found.place !== undefined) {
    const suggestion = PLACES[found.place]?.find((spelling) =>
      isReference(spelling, variables, isValue, true),
    );
    return {
      shown,
      effect,
      advice: suggestion === undefined ? "write it out" : `write ${suggestion}`,
      suggestion,
    };
  }
  const [field = "", key] = path;
  const own = found.name !== undefined && /^[A-Za-z_]\w*$/.test(found.name) ? found.name : undefined;
  const isInput = found.written.startsWith("${input:");
  const name = own === undefined ? nameOfField(field, key) : isInput ? inCapitals(own) : own;
  const suggestion = spellingsOf(name).find((spelling) => isReference(spelling, variables, isValue));
  if (suggestion !== undefined) {
    const isOther = own === undefined || isInput;
    const advice = isOther ? `put its value into a variable and write ${suggestion}` : `write ${suggestion}`;
    return { shown, effect, advice, suggestion };
  }
  const instead = field === "env" ? dialect.fields.envPassthrough : dialect.fields.headersFromEnv;
  const [list] = [instead ?? []].flat();
  if ((field === "env" || field === "headers") && list !== undefined)
    return { shown, effect, advice: `name the variable in "${list}"`, suggestion };
  const fillsInNothing =
    variables.syntaxes.length === 0 &&
    (!isValue || (!variables.valueSyntaxes?.length && !variables.bareNames));
  const advice = fillsInNothing ? "it fills in no variables there" : "it uses another syntax for variables";
  return { shown, effect, advice, suggestion };
}

function nameOfField(field: string | number, key: string | number | undefined): string {
  return field === "env" && typeof key === "string" && /^[A-Za-z_]\w*$/.test(key) ? key : "NAME";
}

function inCapitals(name: string): string {
  return name.replace(/(?<=[a-z\d])(?=[A-Z])/g, "_").toUpperCase();
}

/** A command, a default or the path of a secret may tell more than its kind should. */
function shownAs({ written, name }: Found): string {
  if (written.startsWith("$(")) return "$(…)";
  if (written.startsWith("`")) return "`…`";
  if (written.startsWith("!")) return "!…";
  const scheme = /^[a-z-]+:(?:\/\/)?/.exec(written)?.[0];
  if (scheme !== undefined && !scheme.startsWith("env")) return `${scheme}…`;
  const prefix = name === undefined ? /^\$?\{[\w-]+:/.exec(written)?.[0] : undefined;
  if (prefix !== undefined) return `${prefix}…}`;
  if (name !== undefined && !/^[\w.-]{1,64}$/.test(name)) return "${…}";
  return written.replace(/(?<=\w)(:?[-?+=]).*(?=\}$)/s, "$1…");
}

function spellingsOf(name: string): readonly string[] {
  return [`\${${name}}`, `\${env:${name}}`, `{env:${name}}`, `\${{ secrets.${name} }}`, `$${name}`];
}

/** Whether the whole text is one reference. */
function isReference(text: string, variables: VariableDialect, isValue: boolean, isPlace = false): boolean {
  const [first] = references(text, variables, isValue);
  if (first?.from !== 0 || first.to !== text.length) return false;
  const { kind, name } = first.reference;
  // A place that the host does not know would be taken for a variable.
  return isPlace ? kind === "place" || (kind === "environment" && name === "HOME") : kind === "environment";
}

/** A text with its references replaced: by their default, or by `MARK`. */
export function withoutReferences(
  text: string,
  variables: VariableDialect,
  isValue: boolean,
): { readonly text: string; readonly defaults: readonly string[] } {
  if (!MAY_REFER.test(text)) return { text, defaults: [] };
  const defaults: string[] = [];
  const isAddress = /^[A-Za-z][\w+.-]*:\/\//.test(text);
  const fill = (given: string | undefined, depth: number): string => {
    if (given === undefined || given === "") return MARK;
    const inner = depth < 3 ? replace(given, depth + 1) : given;
    defaults.push(inner);
    // What would end a password or a parameter does not end the reference.
    return isAddress ? inner.replace(/[/?#&]/g, "_") : inner;
  };
  const replace = (part: string, depth: number): string => {
    // Hosts that know `$NAME` would read `$env:NAME` as the variable `env` and some text, which nobody means.
    const own = expandVariables(
      part.replace(/\$env:[A-Za-z_]\w*/g, "\uE000"),
      ({ defaultText, written }) => hide(fill(defaultText ?? DEFAULT.exec(written)?.[1], depth)),
      variables,
      isValue,
    );
    const mark = (written: string) => hide(fill(DEFAULT.exec(written)?.[1], depth));
    const marked = own.replace(ANYWHERE, mark).replace(/\$\{[^{}]*\}/g, mark);
    const scheme = SCHEME.exec(marked)?.[0] ?? "";
    const rest = marked.slice(scheme.length);
    return (scheme + (WHOLE.test(rest) ? MARK : rest)).replaceAll("\uE000", MARK);
  };
  return { text: replace(text, 0), defaults };
}

/** A mark must not be taken for a reference. */
function hide(text: string): string {
  return text.replaceAll(MARK, "\uE000");
}

/** The default inside a reference whose host has no defaults. */
const DEFAULT = /^\$\{[^{}?]+?:-(.*)\}$/s;
