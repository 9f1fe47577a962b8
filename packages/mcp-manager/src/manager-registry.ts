import type { ResolvedManagerOptions } from "./options.ts";
import { createToolRegistry, type ToolRegistry } from "./tools/tool-registry.ts";

/** The registry of a manager's tools. It logs what a person should look at. */
export function createManagerRegistry({
  servers,
  naming,
  toolPolicies,
  log,
}: ResolvedManagerOptions): ToolRegistry {
  return createToolRegistry({
    servers,
    naming,
    policies: toolPolicies,
    blocked: ({ server, originalName: tool }, reason) =>
      log("warn", `A tool is not offered: ${withFullStop(reason)}`, { server, tool }),
    warn: (message, server) => log("warn", message, { server }),
  });
}

/** A policy may write its reason with or without a full stop. */
function withFullStop(reason: string): string {
  return /[.!?]$/.test(reason) ? reason : `${reason}.`;
}
