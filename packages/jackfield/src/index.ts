export type {
  ConfigProblem,
  InheritEnv,
  InlineServer,
  PromptApproverOptions,
  ServerApprovalRequest,
  ServerApprover,
  ServerFilter,
  ServerFilterOptions,
  ServerPattern,
  ServerResolverOptions,
  TrustFolder,
} from "@jackfield/mcp-config";
export { promptApprover } from "@jackfield/mcp-config";
export {
  type AuthPort,
  type CallMiddleware,
  type CallOptions,
  type CompletionRequest,
  type CompletionResult,
  type Connector,
  type ContentBlock,
  type ContextSource,
  type DefinedIn,
  type Diagnostic,
  type ErrorCode,
  type GetPromptResult,
  type HostHandlers,
  type Implementation,
  isMcpError,
  type LogFields,
  type Logger,
  type LogLevel,
  McpError,
  type McpEvents,
  type Progress,
  type PromptDefinition,
  type ReadResourceResult,
  type RequestOptions,
  type ResolveServer,
  type ResourceDefinition,
  type ResourceTemplateDefinition,
  type ServerLimits,
  type ServerRequestCall,
  type ServerRequestContext,
  type ServerSnapshot,
  type ServerStatus,
  type StateStore,
  type ToolCache,
  type ToolCallResult,
  type ToolDescriptor,
  type ToolListPolicy,
  type ToolRef,
  type ToolTypes,
} from "@jackfield/mcp-core";
export type { ApprovalRule, RulesByServer } from "@jackfield/mcp-guard";
export {
  type AsyncViewFilter,
  type HeartbeatOptions,
  NAMING_PRESETS,
  type NamingOptions,
  type OperationOptions,
  RETRY_PRESETS,
  type ReconnectOptions,
  type ReloadReport,
  type RetryPolicy,
  type StartupOptions,
  type StartupReport,
  type ToolView,
  type ViewFilter,
} from "@jackfield/mcp-manager";
export type { HttpOptions, HttpOptionsSource, TlsOptions } from "@jackfield/mcp-transports";
export type { BlockedReport } from "./blocked-servers.ts";
export type { ConfigurationReport } from "./configuration-report.ts";
export type { GuardOptions } from "./guards.ts";
export type { Mcp, McpForPrincipal, McpReloadReport, McpReport, McpSource, TypedCalls } from "./mcp.ts";
export { openMcp } from "./open-mcp.ts";
export type {
  ApprovalOptions,
  CacheOptions,
  ConnectOptions,
  DiscoverOptions,
  McpFilterOptions,
  OpenMcpOptions,
  ToolGuard,
  ValueOptions,
} from "./open-mcp-options.ts";
export {
  claudeCode,
  hexos,
  type OpenaiAgentsOptions,
  ohMyPi,
  openaiAgents,
  type RuntimePreset,
  sideCar,
} from "./presets.ts";
export { fixedRoots } from "./transports.ts";
