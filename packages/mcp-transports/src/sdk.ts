import { setImmediate } from "node:timers/promises";

/** The SDK as a module object: it is imported when something needs it, not when this package is. */
export type Sdk = typeof import("@modelcontextprotocol/client");

let loaded: Sdk | undefined;

/**
 * Loads the SDK; the module system keeps it, so only the first call costs anything: about 110 ms in which nothing else runs.
 * Whatever is under way goes first, such as a start-up that has its tools from the catalog and only has to say so.
 */
export async function loadSdk(): Promise<Sdk> {
  if (loaded) return loaded;
  await setImmediate();
  loaded = await import("@modelcontextprotocol/client");
  return loaded;
}

/** The SDK if anything has needed it yet: without it, no error is one of its own. */
export function loadedSdk(): Sdk | undefined {
  return loaded;
}

/**
 * Switches a deadline of the SDK off. Its default of 60 s must never win over ours, and it knows no "none"; this is the
 * longest delay a timer takes.
 */
export const NO_SDK_TIMEOUT_MS = 2 ** 31 - 1;
