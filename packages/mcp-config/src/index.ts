export type { ConfigProblem } from "./config-problem.ts";
export type { MissingVariable } from "./entry-values.ts";
export type {
  InlineInProcessServer,
  InlineRemoteServer,
  InlineServer,
  InlineServerOptions,
  InlineStdioServer,
} from "./inline-servers.ts";
export { type LoadedServers, type LoadServersOptions, loadServers } from "./load-servers.ts";
export type { Environment, InheritEnv } from "./safe-environment.ts";
export { createServerResolver, type ServerResolverOptions } from "./server-resolver.ts";
