import { variablesOf } from "../hosts/host-dialects.ts";
import { isNormalUrl } from "../http-syntax.ts";
import { isPlainValue } from "../plain-values.ts";
import {
  dialectFor,
  expandVariables,
  referenceBeginning,
  type VariableDialect,
  type VariableReference,
} from "../variables.ts";
import type { SourceEntry } from "./server-source.ts";

/**
 * The endpoint of an entry, as a text that is equal for equal endpoints: the command line with its folder and variables, or the URL
 * with its headers. Variables and headers count because accounts differ in them. References to the same thing are equal in every
 * dialect. The transport does not count, because hosts name it differently for the same server. `undefined` if it cannot be
 * compared.
 */
export function endpointOf({ outcome }: SourceEntry): string | undefined {
  if (!("definition" in outcome)) return undefined;
  const { definition } = outcome;
  if (definition.transport === "in-process") return undefined;
  const dialect = dialectFor(variablesOf(definition.definedIn.host), definition);
  const sorted = (texts: { readonly [name: string]: string } = {}, field: "env" | "headers") => {
    const names = Object.keys(texts);
    if (names.length === 0) return [];
    return names
      .map((name) => {
        const isValue = !isPlainValue(definition, field, name);
        const text = canonical(texts[name] ?? "", dialect, isValue);
        return [field === "headers" ? name.toLowerCase() : name, text];
      })
      .sort(byName);
  };
  if (definition.transport === "stdio") {
    const { command, args = [], cwd = "", env } = definition;
    return JSON.stringify([
      [command, ...args].map((text) => canonical(text, dialect)),
      canonical(cwd, dialect),
      sorted(env, "env"),
    ]);
  }
  const { url, headers, headersFromEnv, bearerTokenEnv } = definition;
  return JSON.stringify([
    comparableUrl(canonical(url, dialect)),
    withBearer(sorted(headers, "headers"), bearerTokenEnv),
    sorted(headersFromEnv, "headers"),
  ]);
}

/**
 * The address of an entry, as a text that is equal for equal command lines or URLs, whatever their variables, folders and headers:
 * what Claude Code compares to find a plugin's server that is there already. A plugin's own folder counts. `undefined` if it cannot
 * be compared.
 */
export function addressOf({ outcome }: SourceEntry): string | undefined {
  if (!("definition" in outcome) || outcome.definition.transport === "in-process") return undefined;
  const { definition } = outcome;
  const { host, root } = definition.definedIn;
  const dialect = dialectFor(variablesOf(host), definition);
  const fill = (reference: VariableReference) =>
    reference.kind === "place" ? `${canonicalReference(reference)}${root}` : canonicalReference(reference);
  if (definition.transport !== "stdio") return comparableUrl(expandVariables(definition.url, fill, dialect));
  const { command, args = [] } = definition;
  return JSON.stringify([command, ...args].map((text) => expandVariables(text, fill, dialect)));
}

function byName([a = ""]: readonly string[], [b = ""]: readonly string[]): number {
  return a < b ? -1 : 1;
}

/** Replaces the `Authorization` header by the named variable of the bearer token, written as a reference. */
function withBearer(
  headers: readonly (readonly string[])[],
  name: string | undefined,
): readonly (readonly string[])[] {
  if (name === undefined) return headers;
  const token = `Bearer ${canonicalReference({ kind: "environment", name })}`;
  const others = headers.filter(([header]) => header !== "authorization");
  return [...others, ["authorization", token]].sort(byName);
}

/** The tools that an entry offers, as a text. The order of its lists and repeated names make no difference. */
export function offeredTools({ outcome }: SourceEntry): string {
  if (!("definition" in outcome)) return "";
  const { include, exclude = [] } = outcome.definition.tools ?? {};
  return JSON.stringify([include && [...new Set(include)].sort(), [...new Set(exclude)].sort()]);
}

/**
 * A text that is equal for entries with the same endpoint, and differs for most others: the URL, or the command line up to where
 * the first reference may begin. It is cheap, so `endpointOf` is called only if several entries share it.
 */
export function endpointStem({ outcome }: SourceEntry): string | undefined {
  if (!("definition" in outcome)) return undefined;
  const { definition } = outcome;
  if (definition.transport === "in-process") return undefined;
  if (definition.transport !== "stdio") {
    const { url } = definition;
    const hasReferences = referenceBeginning(url) !== -1;
    return comparableUrl(hasReferences ? canonical(url, variablesOf(definition.definedIn.host)) : url);
  }
  const { command, args = [] } = definition;
  const words = args.length === 0 ? command : `${command}\0${args.join("\0")}`;
  const end = referenceBeginning(words);
  return end === -1 ? words : words.slice(0, end);
}

function canonical(text: string, dialect: VariableDialect, isValue = false): string {
  return expandVariables(text, canonicalReference, dialect, isValue);
}

function canonicalReference({
  kind,
  name,
  defaultText,
  written,
}: Pick<VariableReference, "kind" | "name" | "defaultText"> & { readonly written?: string }): string {
  // Where a bare name may be a variable, `debug` and `true` are hardly meant as one, and other hosts have the same text.
  if (written === name && !CONSTANT.test(name)) return name;
  return JSON.stringify({ kind, name, defaultText });
}

/** How variables of the environment are usually spelled. */
const CONSTANT = /^[A-Z_][A-Z0-9_]*$/;

/** The URL as it is sent, without a trailing slash, which makes no difference to people. */
function comparableUrl(text: string): string {
  const url = isNormalUrl(text) ? text : (URL.parse(text)?.href ?? text);
  return url.endsWith("/") ? url.slice(0, -1) : url;
}
