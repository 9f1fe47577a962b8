import { decoded, type ResolvedServer, type ServerDefinition } from "@jackfield/mcp-core";
import { isAllowed, readDenials, type ServerPattern } from "./server-pattern.ts";

/** Why a server that was found is not used. */
export interface ServerBlock {
  /**
   * The rule that blocks it: `approval`, `trust`, `project`, `disabled`, `disabledServers`, `deny`, `allow`, `exa`, `browser`, `equivalent`, `admit` (an answer of the caller's is missing), or the name of one of the caller's own
   * filters.
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

/** Which of the servers found are used. A blocked server keeps its name: a weaker entry does not take its place. */
export interface ServerFilterOptions {
  /** Names of servers that are off, whatever else is set. */
  readonly disabledServers?: readonly string[] | undefined;
  /** Names of servers that are on although their entry, or a list of its host, switches them off; `disabledServers` wins over it. */
  readonly enabledServers?: readonly string[] | undefined;
  /** Servers that may be used; an empty list lets nothing through. Default everything. */
  readonly allow?: readonly ServerPattern[] | undefined;
  /**
   * Servers that may not be used, in any spelling of a URL, including those that may match once their variables are filled in; it
   * wins over `allow`. Default none.
   */
  readonly deny?: readonly ServerPattern[] | undefined;
  /** Whether the program searches by Exa itself, so that a server which does only that is not used. Default false. */
  readonly exa?: boolean | undefined;
  /**
   * Whether the program has a browser of its own, so that servers which drive one are not used. A function is called for each
   * server; a promise counts as yes. Default false.
   */
  readonly browser?: boolean | (() => boolean) | undefined;
  /** The caller's own rules, applied after all others. */
  readonly more?: readonly ServerFilter[] | undefined;
}

/** Makes the rules, in the order in which they are applied; the first that blocks a server gives the reason. */
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
    rule("disabledServers", ({ name }) => disabledServers.includes(name), "it is listed in disabledServers"),
    { name: "disabled", block: (definition) => switchedOff(definition, enabledServers) },
    rule(
      "deny",
      (definition) => {
        if (deny.length === 0) return false;
        // Read here, so that a fault in the list throws inside the filter and keeps the server out.
        isDenied ??= readDenials(deny);
        return isDenied(definition);
      },
      "it is in the list of denied servers",
    ),
    rule(
      "allow",
      (definition) => allow !== undefined && !isAllowed(allow, definition),
      "it is not in the list of allowed servers",
    ),
    rule("exa", (definition) => exa && isExaSearch(definition), "this program has an Exa search of its own"),
    rule(
      "browser",
      (definition) => Boolean(hasBrowser()) && isBrowserServer(definition),
      "this program has a browser of its own",
    ),
    ...(options.more ?? []),
  ];
}

/** The block by the first rule that blocks a server, if any. */
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
  return "the filter failed, so the server is not used";
}

/** Answers of asynchronous functions are not awaited. Their rejection would end the process. */
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

const EXA_HOST = "mcp.exa.ai";
const EXA_SEARCH = "web_search_exa";
const EXA_KEY = /exaApiKey=([^&#\s]+)/;
const EXA_TOOLS = /(?:^|[?&\s-])tools=([^&#\s]+)/;

/**
 * Whether a server is Exa's search and nothing else, as oh-my-pi decides it: called `exa`, or with `mcp.exa.ai` in its URL or
 * an argument, and not asked for a tool other than `web_search_exa`.
 */
function isExaSearch(definition: ServerDefinition): boolean {
  const { url = "", args = [] } = wordsOf(definition);
  return isExaServer(definition) && exaTools(url, args).every((tool) => tool.toLowerCase() === EXA_SEARCH);
}

/** Whether a server is one of Exa, whatever tools it was asked for. */
export function isExaServer(server: ServerDefinition | ResolvedServer): boolean {
  const { name, url = "", args = [] } = wordsOf(server);
  return name.toLowerCase() === "exa" || [url, ...args].some((word) => word.includes(EXA_HOST));
}

/** The tools that are asked for: `?tools=` of the URL, `--tools X`, `--tools=X`, `tools=` inside an argument. */
function exaTools(url: string, args: readonly string[]): readonly string[] {
  const lists = [url, ...args].flatMap((word) => EXA_TOOLS.exec(word)?.[1] ?? []);
  const separate = args.flatMap((word, index) => (word === "--tools" ? (args[index + 1] ?? []) : []));
  const tools = [...lists, ...separate].flatMap((list) => list.split(/,|%2c/i));
  return tools.map((tool) => tool.trim()).filter((tool) => tool !== "");
}

/**
 * The API key that a server of Exa was given, for a host that searches by itself: `exaApiKey=` in the URL, in an argument,
 * else `EXA_API_KEY` of its `env`. Give it the resolved server, else the key may be a reference.
 */
export function exaApiKey(server: ServerDefinition | ResolvedServer): string | undefined {
  const { url = "", args = [], env = {} } = wordsOf(server);
  const written = [url, ...args].map((word) => EXA_KEY.exec(word)?.[1]).find((key) => key !== undefined);
  if (written !== undefined) return decoded(written);
  const key = Object.hasOwn(env, "EXA_API_KEY") ? env.EXA_API_KEY : undefined;
  return key === "" ? undefined : key;
}

const BROWSER_NAMES: ReadonlySet<string> = new Set([
  "puppeteer",
  "playwright",
  "browserbase",
  "browser-tools",
  "browser-use",
  "browser",
]);
const BROWSER_HOSTS = ["browserbase.com", "browser-use.com"];
const BROWSER_PACKAGES = [
  "@modelcontextprotocol/server-puppeteer",
  "@playwright/mcp",
  "@browserbasehq/mcp-server-browserbase",
  "@agentdeskai/browser-tools-mcp",
  "@agent-infra/mcp-server-browser",
  "puppeteer-mcp",
  "playwright-mcp",
  "pptr-mcp",
  "browser-use-mcp",
  "mcp-browser-use",
];

/** Whether a server drives a browser, by its name, its URL or the package it runs, as oh-my-pi decides it. */
function isBrowserServer(definition: ServerDefinition): boolean {
  const { name, url = "", command = "", args = [] } = wordsOf(definition);
  const words = [command, ...args].map((word) => word.toLowerCase());
  return (
    BROWSER_NAMES.has(name.toLowerCase()) ||
    BROWSER_HOSTS.some((host) => url.toLowerCase().includes(host)) ||
    BROWSER_PACKAGES.some((named) => words.some((word) => word.includes(named)))
  );
}

/** The fields that identify a server, before or after its variables are filled in. */
function wordsOf(server: ServerDefinition | ResolvedServer): {
  readonly name: string;
  readonly command?: string;
  readonly args?: readonly string[] | undefined;
  readonly url?: string;
  readonly env?: { readonly [name: string]: string } | undefined;
} {
  return server.transport === "in-process" ? { name: server.name } : server;
}
