import { decoded, type ResolvedServer, type ServerDefinition } from "@jackfield/mcp-core";

const EXA_HOST = "mcp.exa.ai";
const EXA_SEARCH = "web_search_exa";
const EXA_KEY = /exaApiKey=([^&#\s]+)/;
const EXA_TOOLS = /(?:^|[?&\s-])tools=([^&#\s]+)/;

/** The fields that identify a server, before or after its variables are filled in. */
type ServerWords = Pick<ServerDefinition, "name"> & {
  readonly command?: string;
  readonly args?: readonly string[] | undefined;
  readonly url?: string;
  readonly env?: { readonly [name: string]: string } | undefined;
};

/**
 * Whether a server is Exa's search and nothing else, as oh-my-pi decides it: called `exa`, or with `mcp.exa.ai` in its URL or
 * an argument, and not asked for a tool other than `web_search_exa`.
 */
export function isExaSearch(definition: ServerDefinition): boolean {
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
export function isBrowserServer(definition: ServerDefinition): boolean {
  const { name, url = "", command = "", args = [] } = wordsOf(definition);
  const words = [command, ...args].map((word) => word.toLowerCase());
  return (
    BROWSER_NAMES.has(name.toLowerCase()) ||
    BROWSER_HOSTS.some((host) => url.toLowerCase().includes(host)) ||
    BROWSER_PACKAGES.some((named) => words.some((word) => word.includes(named)))
  );
}

function wordsOf(server: ServerDefinition | ResolvedServer): ServerWords {
  return server.transport === "in-process" ? { name: server.name } : server;
}
