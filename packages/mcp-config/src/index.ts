export { type ApprovalLedger, createApprovalLedger, definitionContent } from "./approval/approval-ledger.ts";
export {
  approvalIntroduction,
  approvalQuestion,
  approvalRequest,
  approvalText,
  type ServerApprovalRequest,
} from "./approval/approval-request.ts";
export { type FileStateStoreOptions, fileStateStore } from "./approval/file-state-store.ts";
export type { LaunchedPackage } from "./approval/package-pin.ts";
export {
  type PromptApproverOptions,
  promptApprover,
  type ServerApprover,
} from "./approval/prompt-approver.ts";
export { visibleText } from "./approval/visible-text.ts";
export type { VariableKind } from "./entry/loader-variables.ts";
export type { WrittenServer } from "./entry/written-server.ts";
export type { ConfigProblem } from "./find/diagnostics.ts";
export {
  type ConfigDiagnostic,
  DIAGNOSTIC_CODES,
  type DiagnosticCode,
} from "./find/diagnostics.ts";
export {
  type DiscoveredServers,
  type DiscoverServersOptions,
  discoverServers,
  type FoundServers,
  findServers,
  type LoadedServers,
  type LoadServersOptions,
  loadServers,
} from "./find/discover.ts";
export type {
  InlineInProcessServer,
  InlineRemoteServer,
  InlineServer,
  InlineServerOptions,
  InlineStdioServer,
} from "./find/inline-servers.ts";
export { locate } from "./find/locate.ts";
export type { BlockedServer, MergedServers, ShadowedDefinition } from "./find/merge.ts";
export {
  type DescribedServer,
  describeServers,
  HOST_IDS,
  type LaunchOption,
  type ParsedHostFile,
  type ParsedServer,
  type ParseHostFileOptions,
  parseHostFile,
} from "./find/parse-host-file.ts";
export {
  type Admission,
  type AdmitServer,
  createServerAdmission,
  type ServerAdmission,
  type ServerAdmissionOptions,
  type TrustFolder,
} from "./find/server-admission.ts";
export type { ServerBlock, ServerFilter, ServerFilterOptions } from "./find/server-filters.ts";
export { exaApiKey, isExaServer } from "./find/server-filters.ts";
export type { ServerPattern } from "./find/server-pattern.ts";
export { type ProjectFile, projectFiles } from "./find/surroundings.ts";
export type { CommandValueOptions } from "./resolve/commands.ts";
export { MISSING_VARIABLE_PRESETS, type MissingVariable } from "./resolve/lookup.ts";
export type { Environment, InheritEnv } from "./resolve/safe-environment.ts";
export { createServerResolver, type ServerResolverOptions } from "./resolve/server-resolver.ts";
export type { NewServer } from "./write/change-servers.ts";
export {
  type ChangedServersFile,
  type ChangeServersOptions,
  changeServersFile,
  ownFile,
  type ServerChange,
  type ServersFileOptions,
} from "./write/changed-file.ts";
