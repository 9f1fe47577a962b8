export { type ConnectorOptions, createConnector } from "./connector.ts";
export type { HttpOptions, HttpOptionsSource, TlsOptions } from "./http/http-options.ts";
export { fixedRoots } from "./protocol/fixed-roots.ts";
export { endLeftovers, findLeftovers, type Leftover } from "./stdio/leftovers.ts";
export type { RecordedTree } from "./stdio/process-record.ts";
export type { ProcessIdentity } from "./stdio/process-snapshot.ts";
