import { ownMember } from "../documents/json-value.ts";
import { type KnownText, WHOLE_INPUT } from "../filters/known-text.ts";
import { type UrlForms, urlForms } from "../filters/url-spelling.ts";
import { placeValues } from "../place-values.ts";
import { references, type VariableDialect, type VariableReference } from "../variables.ts";
import type { FindingContext, ListedServer } from "./host-dialect.ts";

/** What identifies a server to a list: its command line, or its URL. */
export interface KnownTarget {
  readonly server: ListedServer;
  readonly written: readonly string[];
  /** The same with references filled in. */
  readonly known: readonly KnownText[];
  /** The spellings of the URL. */
  readonly forms: UrlForms;
}

/**
 * Resolves the entry's references in this environment at the first access, since most users have no lists.
 *
 * @param variables - the entry's dialect
 */
export function knownTarget(
  server: ListedServer,
  context: FindingContext,
  variables: VariableDialect,
): KnownTarget {
  const { transport, command = "", args = [], url = "" } = server.written;
  const written = transport === "stdio" ? [command, ...args] : [url];
  let known: readonly KnownText[] | undefined;
  let forms: UrlForms | undefined;
  return {
    server,
    written,
    get known() {
      known ??= written.map((text, index) =>
        index > 0 && isWholeInput(text, variables)
          ? WHOLE_INPUT
          : knownText(text, server, context, variables),
      );
      return known;
    },
    get forms() {
      forms ??= urlForms(this.known[0] ?? [""]);
      return forms;
    },
  };
}

function knownText(
  text: string,
  server: ListedServer,
  context: FindingContext,
  variables: VariableDialect,
): KnownText {
  const known: string[] = [];
  let part = "";
  let copiedTo = 0;
  for (const { from, to, reference } of references(text, variables, false)) {
    const value = valueIn(reference, server, context, variables);
    part += text.slice(copiedTo, from) + (value ?? "");
    if (value === undefined) {
      known.push(part);
      part = "";
    }
    copiedTo = to;
  }
  return [...known, part + text.slice(copiedTo)];
}

/** The value of a reference; `undefined` where it is only known when the server is started. */
function valueIn(
  { kind, name, defaultText, whenUnset, written }: VariableReference,
  server: ListedServer,
  { env, platform }: FindingContext,
  variables: VariableDialect,
): string | undefined {
  const { definedIn } = server;
  if (kind === "place") {
    return placeValues(definedIn, "", { environment: env ?? {}, platform })(name) ?? defaultText;
  }
  if (kind !== "environment") return undefined;
  const { transport, env: ownEnv = {} } = server.written;
  const own = transport === "stdio" ? undefined : ownMember(ownEnv, name);
  if (typeof own === "string") return hasReferences(own, variables) ? undefined : own;
  if (transport !== "stdio" && variables.emptyInRemote?.includes(name)) return "";
  if (env === undefined) return undefined;
  const value = ownMember(env, name);
  // The user decides whether a project's entry sees the variable or gets the default (threat T13).
  if (value !== undefined) return definedIn.scope === "project" ? undefined : value;
  return defaultText ?? (whenUnset === "literal" ? written : undefined);
}

/** Whether an argument consists of an `input` reference, and so becomes an argument for each answer. */
function isWholeInput(text: string, variables: VariableDialect): boolean {
  const [first] = references(text, variables, false);
  return first?.reference.kind === "input" && first.reference.written === text;
}

function hasReferences(text: string, variables: VariableDialect): boolean {
  return references(text, variables, true).next().done !== true;
}
