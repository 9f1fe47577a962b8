/** The SDK as a module object: it is imported when the first connection is made, not when this package is. */
export type Sdk = typeof import("@modelcontextprotocol/client");

/** Loads the SDK; the module system keeps it, so only the first call costs anything (about 110 ms). */
export function loadSdk(): Promise<Sdk> {
  return import("@modelcontextprotocol/client");
}

/**
 * Switches a deadline of the SDK off. Its default of 60 s must never win over ours, and it knows no "none"; this is the
 * longest delay a timer takes.
 */
export const NO_SDK_TIMEOUT_MS = 2 ** 31 - 1;
