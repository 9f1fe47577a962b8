import { ServerApprover, TrustFolder, DiscoverServersOptions, ServerFilterOptions, InlineServer, InheritEnv, ServerResolverOptions, ConfigProblem } from "@jackfield/mcp-config";
export { ConfigProblem, InheritEnv, InlineServer, PromptApproverOptions, ServerApprovalRequest, ServerApprover, ServerFilter, ServerFilterOptions, ServerPattern, ServerResolverOptions, TrustFolder, promptApprover } from "@jackfield/mcp-config";
import { StateStore, ToolCache, CallMiddleware, ToolListPolicy, Connector, ResolveServer, AuthPort, Logger, DefinedIn, Diagnostic, McpError, ToolRef, ToolCallParameters, CallOptions, ToolResultOf, HostHandlers } from "@jackfield/mcp-core";
export { AuthPort, CallMiddleware, CallOptions, CompletionRequest, CompletionResult, Connector, ContentBlock, ContextSource, DefinedIn, Diagnostic, ErrorCode, GetPromptResult, HostHandlers, Implementation, LogFields, LogLevel, Logger, McpError, McpEvents, Progress, PromptDefinition, ReadResourceResult, RequestOptions, ResolveServer, ResourceDefinition, ResourceTemplateDefinition, ServerLimits, ServerRequestCall, ServerRequestContext, ServerSnapshot, ServerStatus, StateStore, ToolCache, ToolCallResult, ToolDescriptor, ToolListPolicy, ToolRef, ToolTypes, isMcpError } from "@jackfield/mcp-core";
import { LimitResultsOptions, InjectionFinding, ToolPins, CallApprovalOptions } from "@jackfield/mcp-guard";
export { ApprovalRule, RulesByServer } from "@jackfield/mcp-guard";
import { McpManagerOptions, McpManager, StartupReport, PrincipalOptions, ReloadReport } from "@jackfield/mcp-manager";
export { AsyncViewFilter, HeartbeatOptions, NAMING_PRESETS, NamingOptions, OperationOptions, RETRY_PRESETS, ReconnectOptions, ReloadReport, RetryPolicy, StartupOptions, StartupReport, ToolView, ViewFilter } from "@jackfield/mcp-manager";
import { ConnectorOptions, HttpOptionsSource } from "@jackfield/mcp-transports";
export { HttpOptions, HttpOptionsSource, TlsOptions } from "@jackfield/mcp-transports";
import { OAuth, BeginLoginOptions, BegunLogin, LoginResponse, FinishLoginOptions, FinishedLogin } from "@jackfield/mcp-auth";
interface GuardOptions {
    readonly limits?: LimitResultsOptions | false | undefined;
    readonly cleanTools?: boolean | undefined;
    readonly cleanResults?: boolean | undefined;
    readonly mark?: boolean | undefined;
    readonly found?: ((finding: InjectionFinding) => void) | undefined;
    readonly pins?: string | ToolPins | undefined;
}
interface CacheOptions {
    readonly path?: string | undefined;
    readonly busyTimeoutMs?: number | undefined;
    readonly maxBytes?: number | undefined;
}
type DiscoverOptions = Pick<DiscoverServersOptions, "cwd" | "hosts" | "project" | "order" | "home" | "env" | "maxFileBytes">;
interface McpFilterOptions extends ServerFilterOptions {
    readonly exaApiKey?: ((key: string, server: string) => void) | undefined;
}
interface ApprovalOptions {
    readonly servers?: ServerApprover | undefined;
    readonly folders?: TrustFolder | undefined;
    readonly projectVariables?: readonly string[] | undefined;
    readonly calls?: CallApprovalOptions["calls"];
    readonly ask?: CallApprovalOptions["ask"];
    readonly store?: StateStore | undefined;
}
type ValueOptions = Pick<ServerResolverOptions, "missingVariable" | "inputs" | "runCommands">;
type ConnectOptions = Pick<ConnectorOptions, "clientInfo" | "extensions">;
interface ToolGuard {
    readonly middleware?: CallMiddleware | undefined;
    readonly policy?: ToolListPolicy | undefined;
}
interface OpenMcpOptions extends Pick<McpManagerOptions, "startup" | "retry" | "limits" | "naming" | "search" | "handlers" | "principal"> {
    readonly id?: string | undefined;
    readonly servers?: {
        readonly [name: string]: InlineServer;
    } | undefined;
    readonly configFiles?: readonly string[] | undefined;
    readonly cwd?: string | undefined;
    readonly discover?: DiscoverOptions | false | undefined;
    readonly approval?: ApprovalOptions | undefined;
    readonly filters?: McpFilterOptions | undefined;
    readonly cache?: CacheOptions | ToolCache | false | undefined;
    readonly inheritEnv?: InheritEnv | undefined;
    readonly guards?: GuardOptions | false | undefined;
    readonly use?: readonly (CallMiddleware | ToolGuard)[] | undefined;
    readonly telemetry?: boolean | undefined;
    readonly connect?: Connector | ConnectOptions | undefined;
    readonly resolve?: ResolveServer | ValueOptions | undefined;
    readonly http?: HttpOptionsSource | undefined;
    readonly auth?: (AuthPort & Partial<Pick<OAuth, "beginLogin" | "finishLogin">>) | undefined;
    readonly log?: Logger | false | undefined;
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
type McpSource = Omit<McpManager, "start" | "reload" | "announce" | "forPrincipal" | "callTool"> & TypedCalls;
interface McpForPrincipal extends McpSource {
    readonly report: StartupReport;
}
interface Mcp extends McpSource {
    readonly report: McpReport;
    forPrincipal(principal: string, options?: PrincipalOptions & {
        readonly signal?: AbortSignal | undefined;
    }): Promise<McpForPrincipal>;
    beginLogin(principal: string, server: string, options: BeginLoginOptions): Promise<BegunLogin>;
    finishLogin(response: LoginResponse, options: FinishLoginOptions): Promise<FinishedLogin>;
    reload(): Promise<McpReloadReport>;
}
declare function openMcp(options?: OpenMcpOptions): Promise<Mcp>;
type Variables = {
    readonly [name: string]: string | undefined;
};
type RuntimePreset = Pick<OpenMcpOptions, "cache" | "discover" | "guards" | "inheritEnv" | "limits" | "naming" | "resolve" | "retry" | "startup">;
declare function ohMyPi(env?: Variables): RuntimePreset;
declare function sideCar(): RuntimePreset;
interface OpenaiAgentsOptions {
    readonly strict?: boolean | undefined;
    readonly dropFailed?: boolean | undefined;
    readonly connectTimeoutMs?: number | undefined;
    readonly closeTimeoutMs?: number | undefined;
    readonly callTimeoutMs?: number | undefined;
}
declare function openaiAgents({ strict, dropFailed, connectTimeoutMs, closeTimeoutMs, callTimeoutMs, }?: OpenaiAgentsOptions): RuntimePreset;
declare function claudeCode(env?: Variables): RuntimePreset;
declare function hexos(): RuntimePreset;
declare function fixedRoots(paths: readonly string[]): NonNullable<HostHandlers["roots"]>;
export { claudeCode, fixedRoots, hexos, ohMyPi, openMcp, openaiAgents, sideCar };
export type { ApprovalOptions, BlockedReport, CacheOptions, ConfigurationReport, ConnectOptions, DiscoverOptions, GuardOptions, Mcp, McpFilterOptions, McpForPrincipal, McpReloadReport, McpReport, McpSource, OpenMcpOptions, OpenaiAgentsOptions, RuntimePreset, ToolGuard, TypedCalls, ValueOptions };
