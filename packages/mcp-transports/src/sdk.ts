import { setImmediate } from "node:timers/promises";

/** The SDK as a module object: it is imported when something needs it, not when this package is. */
export type Sdk = typeof import("@modelcontextprotocol/client");

let loaded: Sdk | undefined;

/**
 * Loads the SDK. Only the first call costs anything: it blocks the event loop for about 110 ms. Work that is under way goes
 * first, such as a start-up that has its tools from the catalog and only has to report them.
 */
export async function loadSdk(): Promise<Sdk> {
  if (loaded) return loaded;
  await setImmediate();
  loaded = await import("@modelcontextprotocol/client");
  return loaded;
}
