/** The SDK as a module object: it is imported when something has to be asked of an authorization server, not when this package is. */
export type Sdk = typeof import("@modelcontextprotocol/client");

/** Loads the SDK; the module system keeps it, so only the first call costs anything, some 110 ms. */
export function loadSdk(): Promise<Sdk> {
  return import("@modelcontextprotocol/client");
}
