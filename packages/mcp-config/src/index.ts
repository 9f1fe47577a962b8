export type { BlockedServer } from "./admission/admitted-entries.ts";
export {
  type Admission,
  type AdmitServer,
  createServerAdmission,
  type ServerAdmission,
  type ServerAdmissionOptions,
  type TrustFolder,
} from "./admission/server-admission.ts";
export { type ApprovalLedger, createApprovalLedger } from "./approval/approval-ledger.ts";
export {
  approvalQuestion,
  approvalRequest,
  approvalText,
  type ServerApprovalRequest,
} from "./approval/approval-request.ts";
export { definitionContent } from "./approval/definition-content.ts";
export { type FileStateStoreOptions, fileStateStore } from "./approval/file-state-store.ts";
export type { LaunchedPackage } from "./approval/package-pin.ts";
export {
  type PromptApproverOptions,
  promptApprover,
  type ServerApprover,
} from "./approval/prompt-approver.ts";
export { visibleText } from "./approval/visible-text.ts";
export type { CommandValueOptions } from "./command-values.ts";
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
  type FoundServers,
  findServers,
} from "./discovery/discover-servers.ts";
export type { LaunchOption } from "./discovery/launch-options.ts";
export { type LoadedServers, type LoadServersOptions, loadServers } from "./discovery/load-servers.ts";
export {
  type ParsedHostFile,
  type ParsedServer,
  type ParseHostFileOptions,
  parseHostFile,
} from "./discovery/parse-host-file.ts";
export type { WrittenServer } from "./entries/written-server.ts";
export { MISSING_VARIABLE_PRESETS, type MissingVariable } from "./entry-values.ts";
export { exaApiKey, isExaServer } from "./filters/native-servers.ts";
export type { ServerBlock, ServerFilter, ServerFilterOptions } from "./filters/server-filters.ts";
export type { ServerPattern } from "./filters/server-pattern.ts";
export { HOST_IDS } from "./hosts/host-dialects.ts";
export type { VariableKind } from "./loader-variables.ts";
export { type ProjectFile, projectFiles } from "./project-files.ts";
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
