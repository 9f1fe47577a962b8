import type { McpError, ServerDefinition, ServerSnapshot } from "@jackfield/mcp-core";

/** How a start went, server by server. Each server stands in exactly one list. Frozen. */
export interface StartupReport {
  /** Connected, with live tools. */
  readonly ready: readonly ServerSnapshot[];
  /** Not connected yet, or not to be before its first use; its tools come from the catalog. */
  readonly cached: readonly ServerSnapshot[];
  /** Could not be connected or listed; `error` says why. */
  readonly failed: readonly { readonly name: string; readonly error: McpError }[];
  /** Neither connected nor failed nor known: its tools appear through `toolsChanged`. */
  readonly waiting: readonly ServerSnapshot[];
  /** Configured but not to be started; the reason says why. */
  readonly blocked: readonly { readonly name: string; readonly reason: string }[];
  /** From the call of `start()` to its return, in milliseconds. */
  readonly tookMs: number;
}

interface Reported {
  readonly definition: { readonly name: string };
  readonly error: McpError | undefined;
  snapshot(): ServerSnapshot;
}

export function reportStartup(
  servers: readonly Reported[],
  configured: readonly ServerDefinition[],
  tookMs: number,
): StartupReport {
  const failed = servers.flatMap(({ definition, error }) =>
    error === undefined ? [] : [{ name: definition.name, error }],
  );
  const snapshots = servers.filter((server) => server.error === undefined).map((server) => server.snapshot());
  const isReady = ({ status, toolsFrom }: ServerSnapshot) => status === "ready" && toolsFrom === "live";
  const isCached = (snapshot: ServerSnapshot) =>
    !isReady(snapshot) && ["cache", "stale"].includes(snapshot.toolsFrom);
  const isWaiting = (snapshot: ServerSnapshot) => !isReady(snapshot) && !isCached(snapshot);
  const blocked = configured
    .filter(({ enabled }) => enabled === false)
    .map(({ name }) => ({ name, reason: "it is switched off where it is defined" }));
  // Whoever starts again is given the same report ([R35]).
  return Object.freeze({
    ready: frozen(snapshots.filter(isReady)),
    cached: frozen(snapshots.filter(isCached)),
    failed: frozen(failed),
    waiting: frozen(snapshots.filter(isWaiting)),
    blocked: frozen(blocked),
    tookMs,
  });
}

function frozen<T extends object>(items: readonly T[]): readonly T[] {
  return Object.freeze(items.map((item) => Object.freeze(item)));
}
