import type { ServerDefinition } from "@jackfield/mcp-core";
import { isBrowserServer, isExaSearch } from "./native-servers.ts";
import { readDenials } from "./server-denial.ts";
import { isAllowed, type ServerPattern } from "./server-pattern.ts";

/** Why a server that was found is not used. */
export interface ServerBlock {
  /**
   * Who says so: `approval`, `trust`, `project`, `disabled`, `disabledServers`, `deny`, `allow`, `exa`, `browser`, `equivalent`,
   * or the name of a filter of the caller's own.
   */
  readonly by: string;
  /** For people: half a sentence about the server. */
  readonly reason: string;
}

/** One rule about which servers are used. */
export interface ServerFilter {
  /** What reports call it. */
  readonly name: string;
  /** Why the server is not used; `undefined` if it is. A filter that throws, or answers with anything else, blocks the server. */
  block(definition: ServerDefinition): string | undefined;
}

/** Which of the servers that are found are used. Whatever is blocked keeps its name: a weaker entry does not take its place. */
export interface ServerFilterOptions {
  /** Names that are off, whatever else says. */
  readonly disabledServers?: readonly string[] | undefined;
  /** Names that are on although their entry, or a list of its host, switches them off; `disabledServers` beats it. */
  readonly enabledServers?: readonly string[] | undefined;
  /** What may be used; an empty list lets nothing through. Default everything. */
  readonly allow?: readonly ServerPattern[] | undefined;
  /** What may not be used, however its URL is spelled, and whatever may turn out to be that once its variables are filled in; it beats `allow`. */
  readonly deny?: readonly ServerPattern[] | undefined;
  /** The host searches by Exa itself: a server that does only that is not used. Default false. */
  readonly exa?: boolean | undefined;
  /** The host has a browser of its own: servers that drive one are not used. A function is asked each time anew; a promise counts as yes. Default false. */
  readonly browser?: boolean | (() => boolean) | undefined;
  /** Rules of the caller's own, after all others. */
  readonly more?: readonly ServerFilter[] | undefined;
}

/** Makes the named rules, in the order in which they are asked; the first that blocks a server gives the reason. */
export function serverFilters(options: ServerFilterOptions = {}): readonly ServerFilter[] {
  const {
    disabledServers = [],
    enabledServers = [],
    allow,
    deny = [],
    exa = false,
    browser = false,
  } = options;
  const rule = (name: string, blocks: (definition: ServerDefinition) => boolean, reason: string) => ({
    name,
    block: (definition: ServerDefinition) => (blocks(definition) ? reason : undefined),
  });
  let isDenied: ReturnType<typeof readDenials> | undefined;
  const hasBrowser = () => {
    const answer: unknown = typeof browser === "function" ? browser() : browser;
    containPromise(answer);
    return answer;
  };
  return [
    rule(
      "disabledServers",
      ({ name }) => disabledServers.includes(name),
      "it is in the list disabledServers",
    ),
    { name: "disabled", block: (definition) => switchedOff(definition, enabledServers) },
    rule(
      "deny",
      (definition) => {
        if (deny.length === 0) return false;
        // What is wrong with the list must come up here, where it keeps the server out.
        isDenied ??= readDenials(deny);
        return isDenied(definition);
      },
      "it is in the list of servers that are denied",
    ),
    rule(
      "allow",
      (definition) => allow !== undefined && !isAllowed(allow, definition),
      "it is not in the list of servers that are allowed",
    ),
    rule("exa", (definition) => exa && isExaSearch(definition), "this program searches by Exa itself"),
    rule(
      "browser",
      (definition) => Boolean(hasBrowser()) && isBrowserServer(definition),
      "this program has a browser of its own",
    ),
    ...(options.more ?? []),
  ];
}

/** What the first rule that blocks a server says. */
export function blockOf(
  filters: readonly ServerFilter[],
  definition: ServerDefinition,
): ServerBlock | undefined {
  for (const { name, block } of filters) {
    const reason = askSafely(block, definition);
    if (reason !== undefined) return { by: name, reason };
  }
  return undefined;
}

function askSafely(block: ServerFilter["block"], definition: ServerDefinition): string | undefined {
  try {
    const reason: unknown = block(definition);
    if (reason === undefined || typeof reason === "string") return reason;
    containPromise(reason);
  } catch {}
  return "the filter failed, so the server is kept out";
}

/** Nobody waits for the answer of an asynchronous function; what it rejects with would end the process. */
function containPromise(answer: unknown): void {
  if (answer instanceof Promise) answer.catch(() => undefined);
}

function switchedOff(
  { name, enabled, disabledBy }: ServerDefinition,
  enabledServers: readonly string[],
): string | undefined {
  if (enabled !== false || enabledServers.includes(name)) return undefined;
  return disabledBy === undefined
    ? "it is switched off where it is defined"
    : `it is switched off by "${disabledBy}" of its host`;
}
