import type { OpenMcpOptions } from "../open-mcp-options.ts";

/** Options of `openMcp` that make it behave as another runtime does; spread them first, then set your own. */
export type RuntimePreset = Pick<
  OpenMcpOptions,
  | "cache"
  | "closeTimeoutMs"
  | "discover"
  | "guards"
  | "heartbeat"
  | "inheritEnv"
  | "limits"
  | "missingVariable"
  | "naming"
  | "retry"
  | "runCommands"
  | "startup"
>;
