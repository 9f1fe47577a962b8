import { ownMember } from "../documents/json-value.ts";
import { placeValues } from "../place-values.ts";
import { references, type VariableReference } from "../variables.ts";
import { CLAUDE_PLUGIN_VARIABLES, CLAUDE_VARIABLES } from "./claude-entry.ts";
import type { FindingContext, ListedServer } from "./host-dialect.ts";

/** A text as far as it can be told before it is used: what stands before, between and behind values that are not known yet. */
export type KnownText = readonly string[];

/** What a server is told by: its command line, or its URL. */
export interface KnownTarget {
  readonly server: ListedServer;
  readonly written: readonly string[];
  /** The same with references filled in. */
  readonly known: readonly KnownText[];
}

/** Fills in what the entry's references come to in this environment, once somebody asks: most people have no lists. */
export function knownTarget(server: ListedServer, context: FindingContext): KnownTarget {
  const { transport, command = "", args = [], url = "" } = server.written;
  const written = transport === "stdio" ? [command, ...args] : [url];
  let known: readonly KnownText[] | undefined;
  return {
    server,
    written,
    get known() {
      known ??= written.map((text) => knownText(text, server, context));
      return known;
    },
  };
}

function knownText(text: string, server: ListedServer, context: FindingContext): KnownText {
  const known: string[] = [];
  let part = "";
  let copiedTo = 0;
  for (const { from, to, reference } of references(text, variablesOf(server), false)) {
    const value = valueIn(reference, server, context);
    part += text.slice(copiedTo, from) + (value ?? "");
    if (value === undefined) {
      known.push(part);
      part = "";
    }
    copiedTo = to;
  }
  return [...known, part + text.slice(copiedTo)];
}

function variablesOf({ definedIn }: ListedServer) {
  return definedIn.scope === "extension" ? CLAUDE_PLUGIN_VARIABLES : CLAUDE_VARIABLES;
}

/** What a reference stands for; `undefined` where it depends on what is only known when the server is started. */
function valueIn(
  { kind, name, defaultText, unset, written }: VariableReference,
  server: ListedServer,
  { env, platform }: FindingContext,
): string | undefined {
  const { definedIn } = server;
  if (kind === "place") {
    return placeValues(definedIn, "", { environment: env ?? {}, platform })(name) ?? defaultText;
  }
  if (kind !== "environment") return undefined;
  const { transport, env: ownEnv = {} } = server.written;
  const own = transport === "stdio" ? undefined : ownMember(ownEnv, name);
  if (typeof own === "string") return hasReferences(own, server) ? undefined : own;
  if (transport !== "stdio" && CLAUDE_VARIABLES.emptyInRemote?.includes(name)) return "";
  if (env === undefined) return undefined;
  const value = ownMember(env, name);
  // Whether a project's entry sees the variable, or gets the default in its place, is the user's to say (threat T13).
  if (value !== undefined) return definedIn.scope === "project" ? undefined : value;
  return defaultText ?? (unset === "literal" ? written : undefined);
}

function hasReferences(text: string, server: ListedServer): boolean {
  return references(text, variablesOf(server), true).next().done !== true;
}
