export { type ConnectorOptions, createConnector } from "./connector.ts";
export type { HttpOptions, HttpOptionsSource, TlsOptions } from "./http/http-options.ts";
export { fixedRoots } from "./protocol/fixed-roots.ts";
export { findOrphans, type Orphan } from "./stdio/orphans.ts";
