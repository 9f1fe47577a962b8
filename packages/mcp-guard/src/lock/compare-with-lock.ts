import { cleanText } from "../cleaning/clean-text.ts";
import { diffTools, formatChanges, type ToolChange } from "../pinning/tool-diff.ts";
import type { ToolPin } from "../pinning/tool-pin.ts";
import {
  type LockableTools,
  type LockedServer,
  type LockedVersion,
  lockOf,
  type McpLock,
} from "./mcp-lock.ts";

/** How servers differ from the lock. */
export interface LockComparison {
  /** True only if every locked server was compared and nothing differs. */
  readonly isSame: boolean;
  /** The servers that differ or could not be compared, sorted by name. */
  readonly servers: readonly ServerDrift[];
}

/** How one server differs. */
export interface ServerDrift {
  readonly server: string;
  /**
   * `changed`: in its version or its tools; `added`: it is not in the lock; `removed`: it is not configured any more;
   * `unlisted`: it has not listed its tools in this run, so nothing is known.
   */
  readonly state: "changed" | "added" | "removed" | "unlisted";
  /** Set only if both versions are known and differ. */
  readonly version?: { readonly before: LockedVersion; readonly after: LockedVersion } | undefined;
  /** Original names of tools, sorted. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly ToolDrift[];
}

/** How one tool differs. */
export interface ToolDrift {
  readonly tool: string;
  readonly changes: readonly ToolChange[];
}

/**
 * Compares what servers offer now with the lock. Use the same tool policies and filters as for the lock, and turn pins off: a
 * tool that they withhold counts as removed. Pure.
 */
export function compareWithLock(lock: McpLock, now: LockableTools): LockComparison {
  const current = lockOf(now).servers;
  const configured = now.servers.map(({ name }) => name);
  const names = [...new Set([...lock.servers.keys(), ...configured])].sort();
  const servers = names.flatMap((server): ServerDrift[] => {
    const before = lock.servers.get(server);
    const after = current.get(server);
    const nothing = { server, added: [], removed: [], changed: [] };
    if (!configured.includes(server)) return [{ ...nothing, state: "removed" }];
    if (after === undefined) return [{ ...nothing, state: "unlisted" }];
    if (before === undefined) return [{ ...nothing, state: "added", added: [...after.tools.keys()].sort() }];
    return driftOf(server, before, after);
  });
  return { isSame: servers.length === 0, servers };
}

function driftOf(server: string, before: LockedServer, after: LockedServer): ServerDrift[] {
  const added = [...after.tools.keys()].filter((tool) => !before.tools.has(tool)).sort();
  const removed = [...before.tools.keys()].filter((tool) => !after.tools.has(tool)).sort();
  const changed = [...before.tools.values()].flatMap((pin) => toolDrift(pin, after.tools.get(pin.tool.name)));
  const version = versionDrift(before.version, after.version);
  if (added.length + removed.length + changed.length === 0 && version === undefined) return [];
  changed.sort((a, b) => (a.tool < b.tool ? -1 : 1));
  return [{ server, state: "changed", version, added, removed, changed }];
}

function toolDrift(before: ToolPin, after: ToolPin | undefined): ToolDrift[] {
  if (after === undefined || after.digest === before.digest) return [];
  return [{ tool: before.tool.name, changes: diffTools(before.tool, after.tool) }];
}

function versionDrift(
  before: LockedVersion | undefined,
  after: LockedVersion | undefined,
): ServerDrift["version"] {
  if (before === undefined || after === undefined) return undefined;
  return before.name === after.name && before.version === after.version ? undefined : { before, after };
}

const STATES = {
  changed: "differs from the lock",
  added: "is not in the lock",
  removed: "is in the lock, but not configured",
  unlisted: "has not listed its tools, so they could not be compared",
} as const;

/** Formats the differences for a person's terminal, with all texts of servers cleaned. */
export function formatComparison({ servers }: LockComparison): string {
  return servers.flatMap(formatDrift).join("\n");
}

function formatDrift({ server, state, version, added, removed, changed }: ServerDrift): string[] {
  const name = ({ name, version: number }: LockedVersion) => `${oneLine(name)} ${oneLine(number)}`;
  return [
    `${oneLine(server)} ${STATES[state]}`,
    ...(version === undefined ? [] : [`  version: ${name(version.before)} -> ${name(version.after)}`]),
    ...added.map((tool) => `  + ${oneLine(tool)}`),
    ...removed.map((tool) => `  - ${oneLine(tool)}`),
    ...changed.flatMap(({ tool, changes }) => [
      `  ~ ${oneLine(tool)}`,
      ...formatChanges(changes, cleanText)
        .split("\n")
        .map((line) => `    ${line}`),
    ]),
  ];
}

function oneLine(text: string): string {
  return cleanText(text).replaceAll("\n", " ");
}
