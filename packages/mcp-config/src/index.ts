export {
  type ConfigDiagnostic,
  DIAGNOSTIC_CODES,
  type DiagnosticCode,
} from "./diagnostic-codes.ts";
export { type DescribedServer, describeServers } from "./discovery/described-servers.ts";
export {
  type DiscoveredServers,
  type DiscoverServersOptions,
  discoverServers,
} from "./discovery/discover-servers.ts";
export { type LoadedServers, type LoadServersOptions, loadServers } from "./discovery/load-servers.ts";
export {
  type ParsedHostFile,
  type ParsedServer,
  type ParseHostFileOptions,
  parseHostFile,
} from "./discovery/parse-host-file.ts";
export type { WrittenServer } from "./entries/written-server.ts";
export type { MissingVariable } from "./entry-values.ts";
export { HOST_IDS } from "./hosts/host-dialects.ts";
export type { Environment, InheritEnv } from "./safe-environment.ts";
export { createServerResolver, type ServerResolverOptions } from "./server-resolver.ts";
export type { ConfigProblem } from "./sources/config-problem.ts";
export type {
  InlineInProcessServer,
  InlineRemoteServer,
  InlineServer,
  InlineServerOptions,
  InlineStdioServer,
} from "./sources/inline-servers.ts";
export type { MergedServers, ShadowedDefinition } from "./sources/merged-servers.ts";
