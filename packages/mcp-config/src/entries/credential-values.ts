import {
  beginsLikeKey,
  decoded,
  isPlaceholder,
  isTokenOfUser,
  namesCredential,
  urlParts,
} from "@jackfield/mcp-core";
import { schemeOf } from "../http-syntax.ts";
import { besideMarks, defaultsIn, isWholeReference, type MarkedText } from "./marked-references.ts";

/** Whether a text in the place of a credential is one. Short texts, references, paths and the scheme of a header are not. */
export function isLiteralSecret(text: unknown): boolean {
  if (typeof text !== "string" || text.length <= 5 || text.includes("${")) return false;
  if (isWholeReference(text) || isPlaceholder(text)) return false;
  if (isUrl(text)) return isUrlWithSecret({ marked: text, defaults: [] });
  return !PATH.test(text) && !HEADER_SCHEME.test(text);
}

const PATH = /^(?:~|\.{1,2}|\$[A-Za-z_]\w*)?\//;

const HEADER_SCHEME = /^(?:Bearer|Basic|Token)\s*$/i;

// The sources of patterns that few texts are tested with: a set of Unicode characters is built as soon as its literal is read, even in
// a function that never runs.
const BETWEEN_WORDS = String.raw`[^\p{L}\p{N}]+`;
const LETTER_AND_DIGIT = String.raw`^(?=.*\p{L}).*\p{N}`;
const DIGIT_INSIDE = String.raw`^(?=.{6}).*\d\p{L}[\p{L}\d]`;
const LONG_WORD = String.raw`^\p{L}{20,}$`;

/**
 * Whether a text looks like a credential, for places that often hold something else. A credential begins like the key of a known service,
 * mixes letters and digits, or is one long word. Plain words, numbers and texts with spaces are not credentials.
 */
export function looksLikeSecret(text: string): boolean {
  if (!isLiteralSecret(text)) return false;
  if (isUrl(text) || beginsLikeKey(text)) return true;
  const key = text.trim().replace(/^(?:Bearer|Basic|Token)\s+/i, "");
  if (/\s/.test(key)) return false;
  const words = key.split(new RegExp(BETWEEN_WORDS, "u"));
  const mixed = words.filter((word) => new RegExp(LETTER_AND_DIGIT, "u").test(word));
  // `oauth2`, `us-east-1`, `cl100k_base` and `AWS4-HMAC-SHA256` count as plain words.
  if (mixed.some((word) => word.length >= 7 || new RegExp(DIGIT_INSIDE, "u").test(word))) return true;
  return mixed.length >= 3 || words.some((word) => new RegExp(LONG_WORD, "u").test(word));
}

/**
 * Whether a word that may as well be a variable's name is a credential. A name in capitals is none, unless it begins like the key of a
 * known service.
 */
export function isSecretWord(word: string): boolean {
  return (/[a-z]/.test(word) || beginsLikeKey(word)) && looksLikeSecret(word);
}

/**
 * Whether a text contains a key that a program generated. Text beside a reference is usually something else: the scheme of a header, a
 * name, or the rest of a path.
 */
export function containsGeneratedKey(text: string): boolean {
  return text.split(/[\s"',;]+/).some((word) => GENERATED_WORD.test(word) && /\d/.test(word));
}

/**
 * Whether what stands where a variable's name belongs is itself a credential. Names may be long and contain digits, like
 * `S3_KEY2_V1`, or begin like a key, like `npm_config_registry`.
 */
export function isCredentialAsName(name: string): boolean {
  return (beginsLikeKey(name) && /[^a-z_]/.test(name)) || (/[a-z]/.test(name) && containsGeneratedKey(name));
}

const GENERATED = /[\w.~+=-]{20}/;
const GENERATED_WORD = /^[\w.~+=-]{20,}$/;

/** A cheap test that every text with a generated key passes. */
export function mayContainGeneratedKey(text: string): boolean {
  return GENERATED.test(text) && /\d/.test(text);
}

/** Whether a URL contains a written-out password or credential parameter. Defaults of references count. */
export function isUrlWithSecret(url: MarkedText): boolean {
  const { marked, defaults } = url;
  const hasReferences = defaults.length > 0;
  const isSecret = (value: string): boolean => {
    const beside = besideMarks(value);
    if (beside.length > 1)
      return defaultsIn(value, url).some(isLiteralSecret) || beside.some(containsGeneratedKey);
    if (hasReferences) return isLiteralSecret(value);
    return value !== "" && !value.includes("${") && !isWholeReference(value);
  };
  const { userinfos, parameters } = urlParts(marked);
  const hasSecretUser = userinfos.some((userinfo) => {
    const at = userinfo.indexOf(":");
    const password = at === -1 ? "" : userinfo.slice(at + 1);
    return password !== "" ? isSecret(password) : isSecretUser(userinfo, url);
  });
  return (
    hasSecretUser ||
    parameters
      .filter(({ name }) => namesCredential(name))
      .some(({ name, value }) => (/auth$/i.test(name) ? isSecretParameter(value, url) : isSecret(value)))
  );
}

/** Judges a parameter by its value, because its name may also mean something harmless. */
function isSecretParameter(value: string, url: MarkedText): boolean {
  const beside = besideMarks(value);
  if (beside.length === 1) return looksLikeSecret(decoded(value));
  return defaultsIn(value, url).some(looksLikeSecret) || beside.some(containsGeneratedKey);
}

/** A user without a password is no credential, unless it is a token, or a default contains a password. */
function isSecretUser(userinfo: string, url: MarkedText): boolean {
  const isSecretDefault = (text: string) => {
    if (isWholeReference(text)) return false;
    const at = text.indexOf(":");
    return at === -1 ? isTokenOfUser(text) : isLiteralSecret(text.slice(at + 1));
  };
  const user = userinfo.replace(/:$/, "");
  return besideMarks(user).some(isTokenOfUser) || defaultsIn(user, url).some(isSecretDefault);
}

export function isUrl(text: string): boolean {
  const scheme = text.includes("://") ? schemeOf(text) : undefined;
  return scheme !== undefined && text.startsWith("://", scheme.length);
}
