import type { JsonPath } from "../documents/json-path.ts";
import { dialectFor, hasVariables, references, type VariableDialect } from "../variables.ts";
import type { WrittenServer } from "./written-server.ts";

/**
 * A variable in any host's spelling. `$NAME` and `%NAME%` occur in passwords as well, so they do not count. Nor does `${file}`,
 * because names without capitals are places, and hosts have more of those than are known here.
 */
export const SPELLED_SOMEWHERE =
  /\$\{(?:env:([A-Za-z_]\w*)|([A-Z_][A-Z0-9_]*))(?::-[^{}]*)?\}|\{env:([A-Za-z_]\w*)\}|\$env:([A-Za-z_]\w*)/;

/** Text that looks like a variable, but is plain text to the host of its file. */
export interface ForeignVariable {
  readonly path: JsonPath;
  /** As written, but without its default, which may be a credential. */
  readonly written: string;
  /** The same variable in the host's own spelling, if it has one there. */
  readonly suggestion: string | undefined;
  /** Whether the host fills in no variables there. */
  readonly isPlain: boolean;
}

/**
 * Variables in another host's spelling in `env`, headers, the URL and the client's secret. Arguments are left out, because some
 * programs expand them themselves (`mcp-remote`, a shell).
 */
export function findForeignVariables(
  { transport, env, headers, oauth, url = "" }: WrittenServer,
  dialect: VariableDialect,
): readonly ForeignVariable[] {
  const found: ForeignVariable[] = [];
  const variables = dialectFor(dialect, { transport });
  const look = (text: string, path: JsonPath, isValue: boolean) => {
    const written = foreignVariableIn(text, variables, isValue);
    if (written === undefined) return;
    const isOwn = (spelling: string) => isReference(spelling, variables, isValue);
    const isPlain = fillsInNothing(variables, isValue);
    const suggestion = isPlain ? undefined : spellingsOf(written).find(isOwn);
    found.push({ path, written: written.replace(/:-.*(?=\})/s, ":-…"), suggestion, isPlain });
  };
  for (const name in env) look(env[name] ?? "", ["env", name], true);
  for (const name in headers) look(headers[name] ?? "", ["headers", name], true);
  if (oauth) look(oauth.clientSecret ?? "", ["oauth", "clientSecret"], true);
  look(url, ["url"], false);
  return found;
}

/** Whether a dialect expands nothing in such a text. */
function fillsInNothing(
  { syntaxes, valueSyntaxes = [], bareNames }: VariableDialect,
  isValue: boolean,
): boolean {
  return syntaxes.length === 0 && (!isValue || (valueSyntaxes.length === 0 && bareNames !== true));
}

/** The first variable of a text in another host's spelling, if the text has none in its own host's. */
export function foreignVariableIn(
  text: string,
  variables: VariableDialect,
  isValue: boolean,
): string | undefined {
  if (!text.includes("{") && !text.includes("$env:")) return undefined;
  const written = SPELLED_SOMEWHERE.exec(text)?.[0];
  return written === undefined || hasVariables(text, variables, isValue) ? undefined : written;
}

function spellingsOf(written: string): readonly string[] {
  const name = SPELLED_SOMEWHERE.exec(written)?.slice(1).find(Boolean) ?? "";
  return [`\${${name}}`, `\${env:${name}}`, `{env:${name}}`, `\${{ secrets.${name} }}`, `$${name}`];
}

/** Whether the whole text is one reference. */
function isReference(text: string, variables: VariableDialect, isValue: boolean): boolean {
  const [first] = references(text, variables, isValue);
  return first?.from === 0 && first.to === text.length;
}
