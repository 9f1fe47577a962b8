/** The SDK as a module object. It is imported with the first request to an authorization server, not with this package. */
export type Sdk = typeof import("@modelcontextprotocol/client");

/** Loads the SDK. Node caches the module, so only the first call takes time, about 110 ms. */
export function loadSdk(): Promise<Sdk> {
  return import("@modelcontextprotocol/client");
}
