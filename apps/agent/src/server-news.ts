import type { McpEvents, ToolsChanged } from "@jackfield/mcp-core";
import type { Mcp } from "jackfield";
import type { Screen } from "./screen.ts";
import { describeWait } from "./server-table.ts";
import { type TerminalStyle, withoutControls } from "./terminal-style.ts";

const MOST_NAMES = 5;

/** Prints what happens to servers during the conversation; the returned function stops it. */
export function watchServers(runtime: Pick<Mcp, "on">, screen: Screen, style: TerminalStyle): () => void {
  const lost = new Set<string>();
  const writeLine = (line: string | undefined) => {
    if (line !== undefined) screen.write(style.dim(withoutControls(`* ${line}`)));
  };
  const stops = [
    runtime.on("statusChanged", (change) => {
      const { name, status } = change.snapshot;
      writeLine(describeStatus(change, { wasLost: lost.has(name), now: Date.now() }));
      if (status === "backoff" || status === "failed") lost.add(name);
      if (status === "ready") lost.delete(name);
    }),
    runtime.on("toolsChanged", (change) => writeLine(describeTools(change))),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Describes a status change to the user of a server; `undefined` for intermediate states. */
export function describeStatus(
  { snapshot: { name, status, error, retryAt } }: McpEvents["statusChanged"],
  { wasLost, now }: { readonly wasLost: boolean; readonly now: number },
): string | undefined {
  const why = error === undefined ? "" : ` (${error.code}: ${error.message})`;
  switch (status) {
    case "ready":
      return `${name} is ${wasLost ? "back" : "connected"}`;
    case "backoff":
      return `${name} is disconnected${why}; reconnecting in ${describeWait(retryAt, now)}`;
    case "failed":
      return `${name} has failed${why}; /mcp reconnect ${name} tries again`;
    default:
      return undefined;
  }
}

/** Describes which tools were added, removed or changed. */
export function describeTools({ server, added, removed, changed }: ToolsChanged): string | undefined {
  const parts = [
    added.length === 0 ? "" : `${added.length} new: ${someOf(added)}`,
    removed.length === 0 ? "" : `${removed.length} gone: ${someOf(removed)}`,
    changed.length === 0 ? "" : `${changed.length} changed: ${someOf(changed)}`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? undefined : `tools of ${server}: ${parts.join("; ")}`;
}

function someOf(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join(", ");
  return names.length > MOST_NAMES ? `${shown} and ${names.length - MOST_NAMES} more` : shown;
}
