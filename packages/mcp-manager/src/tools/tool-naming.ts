import { createServerNames, MAX_NAME_LENGTH, type ServerNames, safeWholeName } from "./server-names.ts";

/**
 * How the exposed name of a tool is built. All but `tool` include the server's name:
 *
 * - `mcp__server__tool`: unsafe characters replaced by `_`; runs of `_` in the server's part as one, none at its ends (Claude Code).
 * - `mcp__server_tool`: lower case, runs of unsafe characters as one `_`; a tool that begins with its server's name does not repeat it:
 *   `puppeteer/puppeteer_screenshot` is `mcp__puppeteer_screenshot` (oh-my-pi).
 * - `mcp_server_tool`: unsafe characters replaced by `_` (SideCar).
 * - `mcp_server__tool`: unsafe characters replaced by `_`, no `_` or `-` at the ends of a part (OpenAI Agents SDK).
 * - `tool`: the tool's name alone (hexos). While several servers offer it, each of these tools is called `mcp__server__tool`.
 */
export type NamingStrategy =
  | "mcp__server__tool"
  | "mcp__server_tool"
  | "mcp_server_tool"
  | "mcp_server__tool"
  | "tool";

/**
 * A custom naming function, called with the original names. It must be pure. Unsafe characters in its result are replaced. If the
 * result is unusable (empty, over 64 characters, reserved, given to two tools) or the function throws, the tool is called
 * `mcp__server__tool`.
 */
export type NameTool = (tool: { readonly server: string; readonly tool: string }) => string;

/** How tools are named. */
export interface NamingOptions {
  /** Default `mcp__server__tool`. */
  readonly strategy?: NamingStrategy | NameTool | undefined;
  /** Names the host uses for other tools; no tool gets one of them. */
  readonly reserved?: readonly string[] | undefined;
}

/** The naming of earlier runtimes, for programs that migrate from them. How a clashing name is made unique is our own. */
export const NAMING_PRESETS = {
  "claude-code": { strategy: "mcp__server__tool" },
  "oh-my-pi": { strategy: "mcp__server_tool" },
  "openai-agents": { strategy: "mcp_server__tool" },
  sidecar: { strategy: "mcp_server_tool" },
  hexos: { strategy: "tool" },
} as const satisfies { readonly [runtime: string]: NamingOptions };

/** The names of all patterns. */
export const STRATEGIES: readonly NamingStrategy[] = [
  "mcp__server__tool",
  "mcp__server_tool",
  "mcp_server_tool",
  "mcp_server__tool",
  "tool",
];

/** The original names of a server's tools. */
export interface ListedNames {
  /** All of them. */
  readonly listed: readonly string[];
  /** Those its filter lets through. */
  readonly included: readonly string[];
}

/** Which tool is offered under which name. Names are never parsed back: the registry knows what each stands for. */
export interface ToolNaming {
  /**
   * Replaces the tools of a server; an empty list forgets it.
   *
   * @returns the other servers with names that may have changed by this.
   */
  assign(server: string, tools: ListedNames): readonly string[];
  /** The names that tools would probably get. `assign` finds them made if the tools are still the same. */
  foresee(server: string, tools: ListedNames): ReadonlyMap<string, string>;
  /** The exposed names of a server's tools by original ones. */
  namesOf(server: string): ReadonlyMap<string, string>;
  /** Whether a name begins with a configured server's prefix. */
  isInTerritory(name: string): boolean;
}

/**
 * Gives each tool a unique name of at most 64 characters in `[A-Za-z0-9_-]` ([L25] to [L30]). The names do not depend on the order in
 * which servers and tools come ([C16]).
 *
 * @param servers every configured server, connected or not.
 */
export function createToolNaming(servers: readonly string[], options: NamingOptions): ToolNaming {
  const { strategy = "mcp__server__tool", reserved = [] } = options;
  const given = new Set(reserved);
  const isReserved = (name: string) => given.has(name);
  const pattern = typeof strategy === "function" || strategy === "tool" ? "mcp__server__tool" : strategy;
  const names = createServerNames(pattern, servers, isReserved);
  if (strategy === "tool") return createSharedNaming(({ tool }) => tool, names, isReserved);
  if (typeof strategy === "function") return createSharedNaming(strategy, names, isReserved);
  return createTerritorialNaming(names);
}

/** Each server's names have their own prefix, so no server can rename another's tools. */
function createTerritorialNaming({ namesOf, isInTerritory }: ServerNames): ToolNaming {
  const known = new Map<string, ReadonlyMap<string, string>>();
  return {
    assign(server, { listed }) {
      // Names come from the whole list, so that a filter cannot rename what it lets through.
      known.set(server, namesOf(server, listed));
      return [];
    },
    foresee: (server, { listed }) => namesOf(server, listed),
    namesOf: (server) => known.get(server) ?? new Map(),
    isInTerritory,
  };
}

/** The names that a server's tools wish for. */
interface Wishes {
  /** By original name; missing where there is no usable wish. */
  readonly plain: ReadonlyMap<string, string>;
  /** Their prefixed names, which no other tool can take. */
  readonly safe: ReadonlyMap<string, string>;
}

/**
 * Names without a server prefix. A name that several tools wish for goes to none of them: each gets its prefixed name, so that a name
 * never passes from one tool to another while both are there. A wish that begins with a server's prefix is granted only if it is the
 * tool's own prefixed name.
 */
function createSharedNaming(
  wish: NameTool,
  names: ServerNames,
  isReserved: (name: string) => boolean,
): ToolNaming {
  const wishes = new Map<string, Wishes>();
  /** How many tools of each server wish for a name. */
  const claims = new Map<string, Map<string, number>>();

  /** The name a tool gets if no other wishes for it; `own` is its prefixed name. */
  const usableWish = (server: string, tool: string, own: string) => {
    const name = wishedName(wish, server, tool);
    if (name === "" || name.length > MAX_NAME_LENGTH || isReserved(name)) return undefined;
    return name === own || !names.isInTerritory(name) ? name : undefined;
  };

  return {
    assign(server, { included }) {
      const before = new Set(wishes.get(server)?.plain.values());
      const safe = names.namesOf(server, included);
      const after = wishesFor(safe, (tool, own) => usableWish(server, tool, own));
      wishes.set(server, after);
      for (const name of before) drop(claims, name, server);
      for (const name of after.plain.values()) count(claims, name, server);
      const now = new Set(after.plain.values());
      const begun = [...now].filter((name) => !before.has(name));
      const ceased = [...before].filter((name) => !now.has(name));
      return [...new Set(otherServers(claims, server, [...begun, ...ceased]))];
    },
    foresee: (server, { included }) => names.namesOf(server, included),
    namesOf(server) {
      const { plain, safe } = wishes.get(server) ?? { plain: new Map(), safe: new Map() };
      const named = new Map<string, string>(safe);
      for (const [tool, name] of plain) {
        const claimants = claims.get(name);
        if (claimants?.size === 1 && claimants.get(server) === 1) named.set(tool, name);
      }
      return named;
    },
    isInTerritory: names.isInTerritory,
  };
}

function wishesFor(
  safe: ReadonlyMap<string, string>,
  wishFor: (tool: string, own: string) => string | undefined,
): Wishes {
  const plain = new Map<string, string>();
  for (const [tool, own] of safe) {
    const name = wishFor(tool, own);
    if (name !== undefined) plain.set(tool, name);
  }
  return { plain, safe };
}

function wishedName(wish: NameTool, server: string, tool: string): string {
  try {
    const name = wish({ server, tool });
    return isUnawaited(name) ? "" : safeWholeName(name);
  } catch {
    return ""; // A naming function that throws, or returns no string, has no wish.
  }
}

type Claims = Map<string, Map<string, number>>;

function count(claims: Claims, name: string, server: string): void {
  const claimants = claims.get(name) ?? new Map<string, number>();
  claims.set(name, claimants.set(server, (claimants.get(server) ?? 0) + 1));
}

function drop(claims: Claims, name: string, server: string): void {
  const claimants = claims.get(name);
  claimants?.delete(server);
  if (claimants?.size === 0) claims.delete(name);
}

/** The other servers affected when a server begins or ceases to wish for a name: those that had it, or get it, alone. */
function* otherServers(claims: Claims, server: string, names: readonly string[]): Iterable<string> {
  for (const name of names) {
    const claimants = claims.get(name);
    if (claimants === undefined || claimants.size > 2) continue;
    const others = [...claimants.keys()].filter((claimant) => claimant !== server);
    if (others.length === 1) yield* others;
  }
}

/** Whether a value is a promise where none is awaited. Handles its rejection, because an unhandled one would end the process. */
export function isUnawaited(answer: unknown): boolean {
  if (!(answer instanceof Promise)) return false;
  answer.catch(() => {});
  return true;
}
