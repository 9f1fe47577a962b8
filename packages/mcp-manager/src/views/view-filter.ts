import {
  isRecord,
  type Logger,
  McpError,
  type ToolDefinition,
  type ToolDescriptor,
  thrownText,
} from "@jackfield/mcp-core";
import { matchesPattern } from "@jackfield/mcp-tools/name-pattern";
import { writtenValue } from "../option-check.ts";
import { isUnawaited } from "../tools/tool-naming.ts";

/** What a view lets through. Functions are called each time, so that their answer may change. */
export interface ViewFilter {
  /** Servers by exact name, or a function. Default: all. */
  readonly servers?: readonly string[] | ((server: string) => boolean) | undefined;
  /**
   * Tools by exposed or original name, `*` for any characters, or a function. A text that is an exposed name, or begins like one
   * (`mcp__`, or a server's prefix), matches exposed names only: another server cannot get its tool in by calling it so. Default: all.
   */
  readonly tools?: readonly string[] | ((tool: ToolDescriptor) => boolean) | undefined;
}

/** Whether a text is meant for exposed names; see `ToolRegistry`. */
export type IsOfExposedNames = (text: string) => boolean;

/** A filter whose functions may return promises. They are called once for each server and each tool, and again for a tool that changed. */
export interface AsyncViewFilter {
  /** Default: all. */
  readonly servers?: readonly string[] | ((server: string) => boolean | Promise<boolean>) | undefined;
  /** Default: all. */
  readonly tools?: readonly string[] | ((tool: ToolDescriptor) => boolean | Promise<boolean>) | undefined;
}

/** A filter, as a view uses it. */
export interface ViewRules {
  /** Whether the verdict on a tool may change over time. */
  readonly isDynamic: boolean;
  hasServer(server: string): boolean;
  hasTool(tool: ToolDescriptor): boolean;
  /**
   * Judges servers and tools that have no verdict yet; until then they are hidden. Missing for a synchronous filter.
   *
   * @param judged - called after verdicts on tools, once for those of the same turn
   */
  readonly judge?:
    | ((servers: readonly string[], tools: readonly ToolDescriptor[], judged?: () => void) => Promise<void>)
    | undefined;
}

/** The rules of an asynchronous filter. */
export interface AsyncViewRules extends ViewRules {
  readonly judge: NonNullable<ViewRules["judge"]>;
}

/**
 * Makes the rules of a synchronous filter. A function that throws, or returns anything but `true`, hides its server or tool ([L16]); so
 * does one that returns a promise.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an invalid filter, which would hide nothing or fail later.
 */
export function viewRules(filter: ViewFilter, log: Logger, isOfExposedNames: IsOfExposedNames): ViewRules {
  checkFilter(filter);
  const { servers, tools } = filter;
  const asks = (what: string, name: string, ask: () => unknown): boolean => {
    try {
      const verdict = ask();
      if (isUnawaited(verdict)) throw new TypeError("It returned a promise; only viewFor waits for one.");
      return verdict === true;
    } catch (error) {
      log("warn", `The filter of a view threw and hides a ${what}.`, {
        [what]: name,
        error: thrownText(error),
      });
      return false;
    }
  };
  const hasServer = (server: string) =>
    typeof servers === "function"
      ? asks("server", server, () => servers(server))
      : servers === undefined || servers.includes(server);
  return {
    isDynamic: typeof servers === "function" || typeof tools === "function",
    hasServer,
    hasTool: (tool) =>
      hasServer(tool.server) &&
      (typeof tools === "function"
        ? asks("tool", tool.name, () => tools(tool))
        : tools === undefined || isNamed(tool, tools, isOfExposedNames)),
  };
}

/**
 * Makes the rules of an asynchronous filter. A promise that rejects hides its server or tool.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an invalid filter.
 */
export function asyncViewRules(
  filter: AsyncViewFilter,
  log: Logger,
  isOfExposedNames: IsOfExposedNames,
): AsyncViewRules {
  checkFilter(filter);
  const { servers, tools } = filter;
  const shownServers = new Map<string, boolean>();
  const shownTools = new ToolVerdicts();
  const asks = async (what: string, name: string, ask: () => unknown): Promise<boolean> => {
    try {
      return (await ask()) === true;
    } catch (error) {
      log("warn", `The filter of a view failed and hides a ${what}.`, {
        [what]: name,
        error: thrownText(error),
      });
      return false;
    }
  };
  const asking = new Map<string | ToolDescriptor, Promise<void>>();
  /** Callers that ask while the filter decides share its answer. */
  const once = (subject: string | ToolDescriptor, look: () => Promise<void>) => {
    const asked = asking.get(subject) ?? look().finally(() => asking.delete(subject));
    asking.set(subject, asked);
    return asked;
  };
  const judgeServer = async (server: string) => {
    if (typeof servers !== "function" || shownServers.has(server)) return;
    await once(server, async () => {
      shownServers.set(server, await asks("server", server, () => servers(server)));
    });
  };
  const judgeTool = async (tool: ToolDescriptor) => {
    if (typeof tools !== "function" || shownTools.get(tool) !== undefined) return;
    await once(tool, async () => shownTools.set(tool, await asks("tool", tool.name, () => tools(tool))));
  };
  const rules = viewRules(
    {
      servers: typeof servers === "function" ? (server) => shownServers.get(server) === true : servers,
      tools: typeof tools === "function" ? (tool) => shownTools.get(tool) === true : tools,
    },
    log,
    isOfExposedNames,
  );
  return {
    ...rules,
    async judge(named, offered, judged) {
      await Promise.all([...new Set([...named, ...offered.map(({ server }) => server)])].map(judgeServer));
      const shown = offered.filter(({ server }) => rules.hasServer(server));
      const told = judged && oncePerTurn(judged);
      await Promise.all(shown.map((tool) => judgeTool(tool).then(told)));
    },
  };
}

/**
 * An asynchronous filter's verdicts on tools. A verdict holds until anything but the tool's origin changes, and is forgotten when the tool
 * is gone. When a tool from the catalog turns live, its descriptor is a new object with the same definition, and no event announces it.
 */
class ToolVerdicts {
  /** Several for one definition, because two servers may share it. */
  readonly #verdicts = new WeakMap<ToolDefinition, Map<ToolDescriptor, boolean>>();

  /** `undefined` if this version of the tool was not judged. */
  get(tool: ToolDescriptor): boolean | undefined {
    const known = this.#verdicts.get(tool.definition) ?? [];
    for (const [judged, isShown] of known) if (isSameTool(judged, tool)) return isShown;
    return undefined;
  }

  set(tool: ToolDescriptor, isShown: boolean): void {
    const { server, originalName } = tool;
    const isOther = (judged: ToolDescriptor) =>
      judged.server !== server || judged.originalName !== originalName;
    const others = [...(this.#verdicts.get(tool.definition) ?? [])].filter(([judged]) => isOther(judged));
    this.#verdicts.set(tool.definition, new Map([...others, [tool, isShown]]));
  }
}

/** Whether two descriptors are equal, except for the origin. */
function isSameTool(a: ToolDescriptor, b: ToolDescriptor): boolean {
  return a === b || (holds(a, b) && holds(b, a));
}

/** Makes no array of keys, because it runs for ten thousand tools at each look. */
function holds(a: ToolDescriptor, b: ToolDescriptor): boolean {
  for (const key in a) {
    if (key !== "origin" && a[key as keyof ToolDescriptor] !== b[key as keyof ToolDescriptor]) return false;
  }
  return true;
}

function oncePerTurn(call: () => void): () => void {
  let isDue = false;
  const run = () => {
    isDue = false;
    call();
  };
  return () => {
    if (!isDue) queueMicrotask(run);
    isDue = true;
  };
}

function isNamed(
  { name, originalName }: ToolDescriptor,
  patterns: readonly string[],
  isOfExposedNames: IsOfExposedNames,
): boolean {
  const isCalled = (pattern: string) => matchesPattern(pattern, originalName) && !isOfExposedNames(pattern);
  return patterns.some((pattern) => matchesPattern(pattern, name) || isCalled(pattern));
}

function checkFilter(filter: unknown): void {
  const wrong = wrongOf(filter);
  if (wrong === undefined) return;
  const message = `A view's filter is { servers, tools }, each a list of names or a function; ${wrong}.`;
  throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}

function wrongOf(filter: unknown): string | undefined {
  if (!isRecord(filter)) return `${writtenValue(filter)} is not a filter`;
  for (const [field, names] of Object.entries(filter)) {
    if (field !== "servers" && field !== "tools") return `it cannot have ${JSON.stringify(field)}`;
    const isList = Array.isArray(names) && names.every((name) => typeof name === "string");
    if (names !== undefined && typeof names !== "function" && !isList)
      return `"${field}" must not be ${writtenValue(names)}`;
  }
  return undefined;
}
