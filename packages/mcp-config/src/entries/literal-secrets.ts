import { isCredential, isRecord, namedArguments, namesCredential } from "@jackfield/mcp-core";
import type { JsonPath } from "../documents/json-path.ts";
import { ownMember } from "../documents/json-value.ts";
import { isPlainValue } from "../plain-values.ts";
import { dialectFor, isBareName, type VariableDialect } from "../variables.ts";
import {
  containsGeneratedKey,
  isCredentialAsName,
  isSecretWord,
  isUrl,
  isUrlWithSecret,
  looksLikeSecret,
  mayContainGeneratedKey,
} from "./credential-values.ts";
import { besideMarks, isWholeReference, markReferences, refersSomehow } from "./marked-references.ts";
import type { WrittenServer } from "./written-server.ts";

/**
 * The paths of credentials that are written out instead of referred to, including those in defaults of references. Values are not
 * returned.
 *
 * @param secretFields - further fields that hold a client secret, if they were left unread
 */
export function findLiteralSecrets(
  written: WrittenServer,
  dialect: VariableDialect,
  secretFields: readonly string[] = [],
): readonly JsonPath[] {
  const paths: JsonPath[] = [];
  const variables = dialectFor(dialect, written);
  for (const field of ["env", "headers"] as const) {
    const texts = written[field];
    for (const name in texts) {
      const text = texts[name] ?? null;
      const isValue = !isPlainValue(written, field, name);
      if (text !== null && isSecret(name, text, variables, isValue)) paths.push([field, name]);
    }
  }
  const { url = "", args = [], oauth, extra, headersFromEnv = {}, bearerTokenEnv = "" } = written;
  for (const header in headersFromEnv)
    if (isCredentialAsName(headersFromEnv[header] ?? "")) paths.push(["headersFromEnv", header]);
  if (isCredentialAsName(bearerTokenEnv)) paths.push(["bearerTokenEnv"]);
  if (url !== "" && holdsSecret(url, variables)) paths.push(["url"]);
  // Bare names are for `env` and headers only.
  const ofLogin = { ...variables, bareNames: false };
  if (oauth && isLiteral(oauth.clientSecret ?? "", ofLogin, true)) paths.push(["oauth", "clientSecret"]);
  for (const field of secretFields) {
    const secret = ownMember(extra ?? {}, field);
    if (typeof secret === "string" && isLiteral(secret, ofLogin, true)) paths.push([field]);
  }
  const login = extra?.auth;
  if (login !== undefined && isRecord(login) && typeof login.clientSecret === "string") {
    if (isLiteral(login.clientSecret, ofLogin, true)) paths.push(["auth", "clientSecret"]);
  }
  for (const [index, { name, value }] of namedArguments(args).entries())
    if (value !== "" && isSecret(name, value, variables)) paths.push(["args", index]);
  return paths;
}

function isSecret(name: string, text: string, variables: VariableDialect, isValue = false): boolean {
  if (isUrl(text)) return holdsSecret(text, variables, isValue);
  // Where there is a reference, the text around it and its default are judged; else name and value decide.
  const isJudged = refersSomehow(text, variables, isValue) ? namesCredential(name) : isCredential(name, text);
  if (isJudged && isLiteral(text, variables, isValue)) return true;
  if (!text.includes("://") || !refersSomehow(text, variables, isValue)) return false;
  const { defaults } = markReferences(text, variables, isValue);
  return defaults.some((given) => isUrl(given) && holdsSecret(given, variables, isValue));
}

/** Whether a credential is written out: as the whole text, as the default of a reference, or beside one. */
function isLiteral(text: string, variables: VariableDialect, isValue = false): boolean {
  if (text === "") return false;
  if (isBareName(text, variables, isValue)) return isSecretWord(text);
  if (!refersSomehow(text, variables, isValue)) return !isWholeReference(text);
  // Most texts with a reference hold nothing else, which is cheap to see.
  if (!DEFAULT_MARK.test(text) && !mayContainGeneratedKey(text)) return false;
  const { marked, defaults } = markReferences(text, variables, isValue);
  return defaults.some(looksLikeSecret) || besideMarks(marked).some(containsGeneratedKey);
}

/** Whether a URL contains a written-out password or credential parameter. */
function holdsSecret(url: string, variables: VariableDialect, isValue = false): boolean {
  if (!url.includes("@") && !url.includes("=")) return false;
  // A reference may hold what ends a password or a parameter.
  const found = markReferences(url, variables, isValue);
  if (found.defaults.some((given) => isUrl(given) && holdsSecret(given, variables, isValue))) return true;
  return isUrlWithSecret(found);
}

/** Precedes a default, in every spelling. */
const DEFAULT_MARK = /-|value:/;
