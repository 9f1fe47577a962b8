import { looksLikeCredential, secretsOfUrls } from "../credentials.ts";
import type { JsonPath } from "../documents/json-path.ts";
import { hasVariables, type VariableDialect } from "../variables.ts";
import type { WrittenServer } from "./written-server.ts";

/** A value of these kinds is no credential, whatever its name says. */
const HARMLESS_VALUE = /^(?:|true|false|yes|no|on|off|none|null|\d{1,5})$/i;

/** Where an entry holds a credential that is written out instead of being referred to. Values are not told. */
export function findLiteralSecrets(written: WrittenServer, variables: VariableDialect): readonly JsonPath[] {
  const isLiteral = (text: string, isValue = false) =>
    !HARMLESS_VALUE.test(text) && !hasVariables(text, variables, isValue);
  const isSecret = (name: string, text: string, isValue = false) => {
    const mayBe = isUrl(text) ? holdsSecret(text) : name !== "" && looksLikeCredential(name);
    return mayBe && isLiteral(text, isValue);
  };
  const paths: JsonPath[] = [];
  for (const field of ["env", "headers"] as const) {
    for (const [name, text] of Object.entries(written[field] ?? {})) {
      if (text !== null && isSecret(name, text, true)) paths.push([field, name]);
    }
  }
  if (holdsSecret(written.url ?? "") && isLiteral(written.url ?? "")) paths.push(["url"]);
  let before = "";
  for (const [index, text] of (written.args ?? []).entries()) {
    const { flag, value = flag === "" ? text : "" } = readFlag(text);
    if (isSecret(flag || before, value)) paths.push(["args", index]);
    before = value === "" ? flag : "";
  }
  return paths;
}

/** `--flag`, `--flag=value` or something else. */
function readFlag(text: string): { readonly flag: string; readonly value?: string | undefined } {
  if (!text.startsWith("-")) return { flag: "" };
  const [, flag = "", value] = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(text) ?? [];
  return { flag, value };
}

function isUrl(text: string): boolean {
  return text.includes("://") && /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

function holdsSecret(url: string): boolean {
  return /[@?&]/.test(url) && secretsOfUrls(url).some((secret) => secret !== "");
}
