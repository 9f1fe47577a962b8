import {
  credentialsIn,
  credentialsOfHeader,
  isPlaceholder,
  isRecord,
  namedArguments,
  namesCredential,
  urlParts,
} from "@jackfield/mcp-core";
import type { EntryDialect } from "../entry/entry-dialect.ts";
import { isPlainValue } from "../entry/field-texts.ts";
import type { WrittenServer } from "../entry/written-server.ts";
import { type JsonPath, ownMember } from "../read/json-value.ts";
import { dialectFor, isBareName, type VariableDialect } from "../resolve/variables.ts";
import { isCredentialAsName } from "./credential-values.ts";
import { MARK, withoutReferences } from "./references.ts";

/**
 * The credentials that an entry holds, including those in defaults of references, and the placeholders in their places. What a credential
 * is, the rule of mcp-core says. Values are not returned.
 */
export function writtenOut(
  written: WrittenServer,
  dialect: VariableDialect,
  { oauth: rule }: Pick<EntryDialect, "oauth">,
): readonly { readonly path: JsonPath; readonly kind: "credential" | "placeholder" }[] {
  const found: { path: JsonPath; kind: "credential" | "placeholder" }[] = [];
  const variables = dialectFor(dialect, written);
  const judge = (
    path: JsonPath,
    name: string,
    text: string | null | undefined,
    isValue: boolean,
    own = variables,
  ) => {
    const kind = text ? kindOf(name, text, own, isValue, path[0] === "headers") : undefined;
    if (kind !== undefined) found.push({ path, kind });
  };
  const {
    env,
    headers,
    url,
    args = [],
    oauth,
    extra = {},
    headersFromEnv = {},
    bearerTokenEnv = "",
  } = written;
  for (const name in env) judge(["env", name], name, env[name], !isPlainValue(written, "env", name));
  for (const name in headers)
    judge(["headers", name], name, headers[name], !isPlainValue(written, "headers", name));
  for (const header in headersFromEnv)
    if (isCredentialAsName(headersFromEnv[header] ?? ""))
      found.push({ path: ["headersFromEnv", header], kind: "credential" });
  if (isCredentialAsName(bearerTokenEnv)) found.push({ path: ["bearerTokenEnv"], kind: "credential" });
  judge(["url"], "", url, false);
  // Bare names are for `env` and headers only.
  const ofLogin = { ...variables, bareNames: false };
  const secret = "clientSecret";
  if (oauth)
    for (const member of [secret, "privateKey"] as const)
      judge(["oauth", member], member, oauth[member], true, ofLogin);
  const fields = rule?.fields ?? {};
  for (const field of Object.keys(fields).filter((name) => fields[name] === secret)) {
    const left = ownMember(extra, field);
    if (typeof left === "string") judge([field], secret, left, true, ofLogin);
  }
  if (isRecord(extra.auth) && typeof extra.auth.clientSecret === "string")
    judge(["auth", secret], secret, extra.auth.clientSecret, true, ofLogin);
  for (const [index, { name, value }] of namedArguments(args).entries())
    judge(["args", index], name, value, false);
  return found;
}

function kindOf(
  name: string,
  written: string,
  variables: VariableDialect,
  isValue: boolean,
  isHeader: boolean,
): "credential" | "placeholder" | undefined {
  if (isBareName(written, variables, isValue)) return isCredentialAsName(written) ? "credential" : undefined;
  const { text, defaults } = withoutReferences(written, variables, isValue);
  const isCookie = isHeader && /^(?:set-)?cookie2?$/i.test(name);
  const isCredential = (part: string) => {
    const value = part.replace(SCHEME, "");
    if (value === "" || isPlaceholder(value)) return false;
    const named = isCookie ? credentialsOfHeader(name, value) : credentialsIn(name, value);
    return [...named, ...credentialsIn("", part)].some(isOutsideOfMarks);
  };
  if (isCredential(text) || defaults.some(isCredential)) return "credential";
  return standsFor(name, text) ? "placeholder" : undefined;
}

const SCHEME = /^(?:Bearer|Basic|Token)(?:\s+|$)/i;

/** Beside a reference only what has the form of a generated key counts. */
function isOutsideOfMarks(found: string): boolean {
  const [first = "", ...others] = found.split(MARK);
  if (others.length === 0) return !isPlaceholder(found);
  return [first, ...others].some(
    (part) => credentialsIn("", part.trim()).length > 0 || isCredentialAsName(part.trim()),
  );
}

/** Whether a placeholder stands where a credential belongs. */
function standsFor(name: string, text: string): boolean {
  const isLeft = (value: string) => value !== MARK && isPlaceholder(value) && !value.includes(MARK);
  if (namesCredential(name) && isLeft(text.replace(SCHEME, ""))) return true;
  if (!text.includes("://")) return false;
  const { userinfos, parameters } = urlParts(text);
  return (
    userinfos.some((userinfo) => isLeft(userinfo.slice(userinfo.indexOf(":") + 1))) ||
    parameters.some((parameter) => namesCredential(parameter.name) && isLeft(parameter.value))
  );
}
