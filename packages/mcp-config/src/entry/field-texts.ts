import { type DefinedIn, REFERRING_OAUTH_SETTINGS } from "@jackfield/mcp-core";
import type { JsonPath } from "../read/json-value.ts";
import type { WrittenServer } from "./written-server.ts";

/** A text of an entry in which references are filled in. */
export interface FieldText {
  readonly text: string;
  /** The field, by its name in the definition. */
  readonly path: JsonPath;
  /** Whether it is a value of `env` or a header, in which hosts allow further kinds of references. */
  readonly isValue: boolean;
}

/** Every text of an entry that may contain references, as written or as defined. */
export function fieldTexts(
  entry: Pick<WrittenServer, "command" | "args" | "cwd" | "url" | "env" | "envFile" | "headers" | "extra">,
): readonly FieldText[] {
  const { command, args, cwd, url, env, envFile, headers } = entry;
  const texts: FieldText[] = [];
  const add = (text: string | null | undefined, path: JsonPath, isValue = false) => {
    if (text) texts.push({ text, path, isValue });
  };
  add(command, ["command"]);
  add(cwd, ["cwd"]);
  add(url, ["url"]);
  add(envFile, ["envFile"]);
  for (const [index, text] of (args ?? []).entries()) add(text, ["args", index]);
  for (const name in env) add(env[name], ["env", name], !isPlainValue(entry, "env", name));
  for (const name in headers) add(headers[name], ["headers", name], !isPlainValue(entry, "headers", name));
  return texts;
}

/** The texts of a login's settings in which references are filled in. */
export function loginTexts({ oauth }: Pick<WrittenServer, "oauth">): readonly FieldText[] {
  return REFERRING_OAUTH_SETTINGS.flatMap((setting): FieldText[] => {
    const text = oauth ? oauth[setting] : undefined;
    return typeof text === "string" ? [{ text, path: ["oauth", setting], isValue: true }] : [];
  });
}

/** The variables that fields of an entry name without a reference, and where. */
export function namedVariables({
  headersFromEnv = {},
  bearerTokenEnv,
  envPassthrough = [],
}: Pick<WrittenServer, "headersFromEnv" | "bearerTokenEnv" | "envPassthrough">): readonly {
  readonly path: JsonPath;
  readonly name: string;
}[] {
  return [
    ...Object.entries(headersFromEnv).map(([header, name]) => ({ path: ["headersFromEnv", header], name })),
    ...(bearerTokenEnv === undefined ? [] : [{ path: ["bearerTokenEnv"], name: bearerTokenEnv }]),
    ...envPassthrough.map((name, index) => ({ path: ["envPassthrough", index], name })),
  ];
}

/**
 * Whether an entry marks a value of its `env` or headers as final: neither the name of a variable nor a command, whatever it looks
 * like. The fields are oh-my-pi's, which writes them for entries of plugins.
 */
export function isPlainValue(
  { extra }: Pick<WrittenServer, "extra">,
  field: "env" | "headers",
  name: string,
): boolean {
  if (extra === undefined) return false;
  const { envPolicy, envLiteralKeys, headerPolicy } = extra;
  if (field === "headers") return headerPolicy === "origin-locked";
  return envPolicy === "literal" || (Array.isArray(envLiteralKeys) && envLiteralKeys.includes(name));
}

/** The field of `extra` with the variables of a Continue JSON block that are not secrets. Jackfield derives it; no file has it. */
export const PLAIN_VARIABLES = "plainVariables";

/** Whether that field of an entry is derived. In an entry of any other file it is an ordinary field. */
export function hasPlainVariables({ host, file = "" }: DefinedIn): boolean {
  return host === "continue" && /\.jsonc?$/i.test(file);
}
