export type { TlsOptions } from "@jackfield/mcp-core";
export { type ConnectorOptions, createConnector, type Traffic } from "./connector.ts";
export type { HttpOptions, HttpOptionsSource } from "./http/open-remote.ts";
export { fixedRoots } from "./protocol/fixed-roots.ts";
export { findOrphans, type Orphan } from "./stdio/orphans.ts";
