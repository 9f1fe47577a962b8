import type { McpError, ServerDefinition, ServerSnapshot } from "@jackfield/mcp-core";

/** The result of a start. Each server is in exactly one list. Frozen. */
export interface StartupReport {
  /** Connected, with live tools. */
  readonly ready: readonly ServerSnapshot[];
  /** Not connected or listed yet, or lazy; its tools come from the catalog. */
  readonly cached: readonly ServerSnapshot[];
  /** Could not be connected or listed; `error` says why. */
  readonly failed: readonly { readonly name: string; readonly error: McpError }[];
  /** Neither ready, nor failed, nor in the catalog; its tools are announced through `toolsChanged`. */
  readonly waiting: readonly ServerSnapshot[];
  /** Configured but not started; `reason` says why. */
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
  // Later calls of `start()` return the same report ([R35]).
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
