export type { TlsOptions } from "@jackfield/mcp-core";
export { type ConnectorOptions, createConnector, type Traffic } from "./connector.ts";
export { fixedRoots } from "./protocol/fixed-roots.ts";
export { findOrphans, type Orphan } from "./stdio/orphans.ts";
export type { HttpOptions, HttpOptionsSource } from "./transport.ts";
