import { looksLikeCredential, secretsOfUrls } from "../credentials.ts";
import type { JsonPath } from "../documents/json-path.ts";
import { isMap } from "../documents/json-value.ts";
import { schemeOf } from "../http-syntax.ts";
import { dialectFor, expandVariables, hasVariables, type VariableDialect } from "../variables.ts";
import { foreignVariableIn } from "./foreign-variables.ts";
import type { WrittenServer } from "./written-server.ts";

/** A value of these kinds is no credential, whatever its name says. None is longer than five characters. */
const HARMLESS_VALUE = /^(?:|true|false|yes|no|on|off|none|null|\d{1,5})$/i;

/** `--flag` or `--flag=value`. */
const FLAG = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s;

/**
 * Where an entry holds a credential that is written out instead of being referred to, be it as the default of a reference. Values are
 * not told.
 */
export function findLiteralSecrets(written: WrittenServer, dialect: VariableDialect): readonly JsonPath[] {
  const paths: JsonPath[] = [];
  const variables = dialectFor(dialect, written);
  for (const field of ["env", "headers"] as const) {
    const texts = written[field];
    for (const name in texts) {
      const text = texts[name] ?? null;
      if (text !== null && isSecret(name, text, variables, true)) paths.push([field, name]);
    }
  }
  const { url = "", args = [], oauth, extra } = written;
  if (url !== "" && holdsSecret(url, variables)) paths.push(["url"]);
  if (oauth && isLiteral(oauth.clientSecret ?? "", variables, true)) paths.push(["oauth", "clientSecret"]);
  const login = extra?.auth;
  if (login !== undefined && isMap(login) && typeof login.clientSecret === "string") {
    if (isLiteral(login.clientSecret, variables, true)) paths.push(["auth", "clientSecret"]);
  }
  let before = "";
  for (let index = 0; index < args.length; index += 1) {
    const text = args[index] as string;
    const match = text.startsWith("-") ? FLAG.exec(text) : null;
    const flag = match?.[1] ?? "";
    const value = match ? (match[2] ?? "") : text;
    if (value !== "" && isSecret(flag || before, value, variables)) paths.push(["args", index]);
    before = value === "" ? flag : "";
  }
  return paths;
}

function isSecret(name: string, text: string, variables: VariableDialect, isValue = false): boolean {
  if (isUrl(text)) return holdsSecret(text, variables, isValue);
  if (name !== "" && looksLikeCredential(name) && isLiteral(text, variables, isValue)) return true;
  if (!text.includes("://") || !refersSomehow(text, variables, isValue)) return false;
  const { defaults } = markReferences(text, variables, isValue);
  return defaults.some((given) => isUrl(given) && holdsSecret(given, variables, isValue));
}

/** Whether a credential is written out: as the whole text, as the default of a reference, or beside one. */
function isLiteral(text: string, variables: VariableDialect, isValue = false): boolean {
  if (text.length <= 5 && HARMLESS_VALUE.test(text)) return false;
  if (!refersSomehow(text, variables, isValue)) return true;
  // Most texts that refer to something have nothing else, which is quickly seen.
  if (!DEFAULT_MARK.test(text) && !(GENERATED.test(text) && /\d/.test(text))) return false;
  const { marked, defaults } = markReferences(text, variables, isValue);
  return defaults.some(isWrittenOut) || marked.split(MARK).some(looksGenerated);
}

/** Whether a URL has a password or a telling parameter that is written out. */
function holdsSecret(url: string, variables: VariableDialect, isValue = false): boolean {
  if (!url.includes("@") && !url.includes("=")) return false;
  if (!refersSomehow(url, variables, isValue))
    return secretsOfUrls(withoutPlainUsers(url)).some((secret) => secret !== "");
  // A reference may hold what ends a password or a parameter.
  const { marked, defaults } = markReferences(url, variables, isValue);
  if (defaults.some((given) => isUrl(given) && holdsSecret(given, variables, isValue))) return true;
  return secretsOfUrls(marked).some((secret) => {
    const isUser = marked.includes(`://${secret}@`);
    if (isUser && secret.includes(":")) return false; // The password is looked at by itself.
    const parts = secret.split(MARK);
    if (parts.length === 1 && !isUser) return isWrittenOut(secret);
    const marks = Array.from(secret.matchAll(MARK), ([mark]) => Number(mark.slice(1, -1)));
    const given = marks.map((mark) => defaults[mark] ?? "");
    if (isUser) return given.some(isTellingUser) || parts.some(isTokenOfUser);
    return given.some(isWrittenOut) || parts.some(looksGenerated);
  });
}

/** A user alone is no credential, unless a token stands in its place. */
function withoutPlainUsers(url: string): string {
  return url.replace(USER_ALONE, (whole, user: string) => (isTokenOfUser(user) ? whole : "://"));
}

/** Whether a token stands in the place of a user alone. */
function isTokenOfUser(text: string): boolean {
  return /^[\w.~+=-]{16,}$/.test(text) && /\d/.test(text);
}

/** The same of a default, which may hold a password as well. */
function isTellingUser(text: string): boolean {
  const at = text.indexOf(":");
  return at === -1 ? isTokenOfUser(text) : isWrittenOut(text.slice(at + 1));
}

const USER_ALONE = /:\/\/([^/?#\s:]*):?@/g;

/** What refers to something in whatever way is not written out. */
function refersSomehow(text: string, variables: VariableDialect, isValue: boolean): boolean {
  if (text.includes("${") || hasVariables(text, variables, isValue)) return true;
  return foreignVariableIn(text, variables, isValue) !== undefined;
}

/** A default, or another whole value where something else is referred to. A path and the scheme of a header are no credentials. */
export function isWrittenOut(text: unknown): boolean {
  if (typeof text !== "string" || text.length <= 5 || text.includes("${")) return false;
  if (isUrl(text)) return secretsOfUrls(withoutPlainUsers(text)).some((secret) => secret !== "");
  return !PATH.test(text) && !HEADER_SCHEME.test(text);
}

const PATH = /^(?:~|\.{1,2}|\$[A-Za-z_]\w*)?\//;

const HEADER_SCHEME = /^(?:Bearer|Basic|Token)\s*$/i;

/**
 * A key as a program makes it. What stands beside a reference is mostly something else: the scheme of a header, a name, or the rest
 * of a path.
 */
function looksGenerated(text: string): boolean {
  return text.split(/[\s"',;]+/).some((word) => GENERATED_WORD.test(word) && /\d/.test(word));
}

const GENERATED = /[\w.~+=-]{20}/;
const GENERATED_WORD = /^[\w.~+=-]{20,}$/;

/** Stands before a default, in whatever spelling. */
const DEFAULT_MARK = /-|value:/;

/** Stands for a reference, with its number. */
const MARK = /\uE000\d+\uE000/g;

interface MarkedText {
  readonly marked: string;
  /** In the order of the marks. */
  readonly defaults: readonly string[];
}

/** Puts marks in the place of references, those in the spelling of another host included. */
function markReferences(text: string, variables: VariableDialect, isValue: boolean): MarkedText {
  const defaults: string[] = [];
  const mark = (given = "") => `\uE000${defaults.push(given) - 1}\uE000`;
  const own = expandVariables(text, ({ defaultText }) => mark(defaultText), variables, isValue);
  const marked = own.replace(/\$\{\{?([^{}]*)\}\}?/g, (_written, inner: string) => {
    const at = inner.indexOf(":-");
    return mark(at === -1 ? "" : inner.slice(at + 2));
  });
  return { marked, defaults };
}

function isUrl(text: string): boolean {
  const scheme = text.includes("://") ? schemeOf(text) : undefined;
  return scheme !== undefined && text.startsWith("://", scheme.length);
}
