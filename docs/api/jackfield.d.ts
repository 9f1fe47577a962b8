import { DiscoverServersOptions, ServerFilterOptions, ServerResolverOptions, InlineServer, ServerApprover, TrustFolder, InheritEnv, ConfigProblem } from "@jackfield/mcp-config";
export { ConfigProblem, InheritEnv, InlineServer, PromptApproverOptions, ServerApprovalRequest, ServerApprover, ServerFilter, ServerFilterOptions, ServerPattern, ServerResolverOptions, TrustFolder } from "@jackfield/mcp-config";
export { promptApprover } from "@jackfield/mcp-config/runtime";
import { StateStore, ToolCache, Connector, ResolveServer, AuthPort, Implementation, DefinedIn, Diagnostic, McpError, ToolRef, ToolCallParameters, CallOptions, ToolResultOf, HostHandlers } from "@jackfield/mcp-core";
export { AuthPort, CallMiddleware, CallOptions, CompletionRequest, CompletionResult, Connector, ContentBlock, ContextSource, DefinedIn, Diagnostic, ErrorCode, GetPromptResult, HostHandlers, Implementation, LogFields, LogLevel, Logger, McpError, McpEvents, Progress, PromptDefinition, ReadResourceResult, RequestOptions, ResolveServer, ResourceDefinition, ResourceTemplateDefinition, ServerLimits, ServerRequestCall, ServerRequestContext, ServerSnapshot, ServerStatus, StateStore, ToolCache, ToolCallResult, ToolDescriptor, ToolListPolicy, ToolRef, ToolTypes, isMcpError } from "@jackfield/mcp-core";
import { LimitResultsOptions, InjectionFinding, ToolPins, CallApprovalOptions } from "@jackfield/mcp-guard";
export { ApprovalRule, CallApprovalOptions } from "@jackfield/mcp-guard";
import { McpManagerOptions, McpManager, StartupReport, ReloadReport } from "@jackfield/mcp-manager";
export { AsyncViewFilter, HeartbeatOptions, NAMING_PRESETS, NamingOptions, OperationOptions, RETRY_PRESETS, ReconnectOptions, ReloadReport, RetryPolicy, StartupOptions, StartupReport, ToolView, ViewFilter } from "@jackfield/mcp-manager";
import { HttpOptionsSource } from "@jackfield/mcp-transports";
export { HttpOptions, HttpOptionsSource, TlsOptions } from "@jackfield/mcp-transports";
interface GuardOptions {
    readonly limits?: LimitResultsOptions | false | undefined;
    readonly cleanTools?: boolean | undefined;
    readonly cleanResults?: boolean | undefined;
    readonly mark?: boolean | undefined;
    readonly found?: ((finding: InjectionFinding) => void) | undefined;
    readonly lock?: string | undefined;
    readonly pins?: ToolPins | undefined;
    readonly trace?: boolean | undefined;
}
interface CacheOptions {
    readonly path?: string | undefined;
    readonly busyTimeoutMs?: number | undefined;
    readonly maxBytes?: number | undefined;
}
type DiscoverOptions = Pick<DiscoverServersOptions, "cwd" | "hosts" | "project" | "order" | "home" | "env">;
interface McpFilterOptions extends ServerFilterOptions {
    readonly exaApiKey?: ((key: string, server: string) => void) | undefined;
}
interface OpenMcpOptions extends Pick<ServerResolverOptions, "missingVariable" | "projectVariables" | "inputs" | "runCommands">, Pick<McpManagerOptions, "startup" | "idleTimeoutMs" | "toolPollIntervalMs" | "heartbeat" | "resourceUpdateQuietMs" | "closeTimeoutMs" | "retry" | "limits" | "naming" | "use" | "toolPolicies" | "handlers" | "principal" | "log"> {
    readonly servers?: {
        readonly [name: string]: InlineServer;
    } | undefined;
    readonly configFiles?: readonly string[] | undefined;
    readonly cwd?: string | undefined;
    readonly discover?: DiscoverOptions | false | undefined;
    readonly approve?: ServerApprover | undefined;
    readonly approvals?: StateStore | undefined;
    readonly trust?: TrustFolder | undefined;
    readonly filters?: McpFilterOptions | undefined;
    readonly cache?: CacheOptions | ToolCache | false | undefined;
    readonly inheritEnv?: InheritEnv | undefined;
    readonly guards?: GuardOptions | false | undefined;
    readonly approval?: CallApprovalOptions | undefined;
    readonly connect?: Connector | undefined;
    readonly resolve?: ResolveServer | undefined;
    readonly http?: HttpOptionsSource | undefined;
    readonly auth?: AuthPort | undefined;
    readonly clientInfo?: Implementation | undefined;
    readonly signal?: AbortSignal | undefined;
}
interface BlockedReport {
    readonly name: string;
    readonly by: string;
    readonly reason: string;
    readonly definedIn: DefinedIn;
}
interface ConfigurationReport {
    readonly blocked: readonly BlockedReport[];
    readonly problems: readonly ConfigProblem[];
    readonly diagnostics: readonly Diagnostic[];
    readonly discoveryError?: McpError | undefined;
}
interface McpReport extends StartupReport, ConfigurationReport {
    readonly failed: StartupReport["failed"];
    readonly blocked: ConfigurationReport["blocked"];
}
interface McpReloadReport extends ReloadReport, ConfigurationReport {
    readonly applied: boolean;
    readonly failed: StartupReport["failed"];
}
interface TypedCalls {
    callTool<const Ref extends ToolRef>(tool: Ref, ...rest: ToolCallParameters<Ref, CallOptions>): Promise<ToolResultOf<Ref>>;
}
type McpSource = Omit<McpManager, "start" | "reload" | "forPrincipal" | "callTool"> & TypedCalls;
interface McpForPrincipal extends McpSource {
    readonly report: StartupReport;
}
interface Mcp extends McpSource {
    readonly report: McpReport;
    forPrincipal(principal: string, options?: {
        readonly signal?: AbortSignal | undefined;
    }): Promise<McpForPrincipal>;
    reload(): Promise<McpReloadReport>;
}
declare function openMcp(options?: OpenMcpOptions): Promise<Mcp>;
type Variables = {
    readonly [name: string]: string | undefined;
};
type RuntimePreset = Pick<OpenMcpOptions, "cache" | "closeTimeoutMs" | "discover" | "guards" | "heartbeat" | "inheritEnv" | "limits" | "missingVariable" | "naming" | "retry" | "runCommands" | "startup">;
declare function claudeCode(env?: Variables): RuntimePreset;
declare function hexos(): RuntimePreset;
declare function ohMyPi(env?: Variables): RuntimePreset;
interface OpenaiAgentsOptions {
    readonly strict?: boolean | undefined;
    readonly dropFailed?: boolean | undefined;
    readonly connectTimeoutMs?: number | undefined;
    readonly closeTimeoutMs?: number | undefined;
    readonly callTimeoutMs?: number | undefined;
}
declare function openaiAgents({ strict, dropFailed, connectTimeoutMs, closeTimeoutMs, callTimeoutMs, }?: OpenaiAgentsOptions): RuntimePreset;
declare function sideCar(): RuntimePreset;
declare function fixedRoots(paths: readonly string[]): NonNullable<HostHandlers["roots"]>;
export { claudeCode, fixedRoots, hexos, ohMyPi, openMcp, openaiAgents, sideCar };
export type { BlockedReport, CacheOptions, ConfigurationReport, DiscoverOptions, GuardOptions, Mcp, McpFilterOptions, McpForPrincipal, McpReloadReport, McpReport, McpSource, OpenMcpOptions, OpenaiAgentsOptions, RuntimePreset, TypedCalls };
