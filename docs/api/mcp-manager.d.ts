import { ServerDefinition, ServerSnapshot, McpError, Connector, ResolveServer, ToolCache, ServerLimits, CallMiddleware, ToolListPolicy, HostHandlers, AuthPort, KnownCredentials, Logger, RequestOptions, ToolDescriptor, ContextSource, McpEvents, Diagnostic } from "@jackfield/mcp-core";
import { ToolSearchSettings } from "@jackfield/mcp-tools/search";
interface HeartbeatPolicy {
    readonly intervalMs: number;
    readonly timeoutMs: number;
    readonly threshold: number;
}
type HeartbeatOptions = {
    readonly [K in keyof HeartbeatPolicy]?: HeartbeatPolicy[K] | undefined;
};
interface RetryPolicy {
    readonly initialDelayMs: number;
    readonly restartsAtOnce: boolean;
    readonly factor: number;
    readonly maxDelayMs: number;
    readonly delaysMs?: readonly number[] | undefined;
    readonly jitter: "full" | "around" | "none";
    readonly maxRetries: number;
    readonly slowDelaysMs?: readonly number[] | undefined;
    readonly maxPerSecond: number;
    readonly stableAfterMs: number;
    readonly reviveOnCall: boolean;
}
declare const DEFAULT_RETRY_POLICY: RetryPolicy;
declare const RETRY_PRESETS: {
    readonly "oh-my-pi": {
        readonly initialDelayMs: 500;
        readonly restartsAtOnce: false;
        readonly factor: 2;
        readonly maxDelayMs: 4000;
        readonly delaysMs: readonly [
            0,
            500,
            1000,
            2000,
            4000
        ];
        readonly jitter: "none";
        readonly maxRetries: 5;
        readonly slowDelaysMs: readonly [
            15000,
            30000,
            60000,
            120000,
            240000,
            300000
        ];
        readonly maxPerSecond: 50;
        readonly stableAfterMs: 30000;
        readonly reviveOnCall: true;
    };
    readonly sidecar: {
        readonly initialDelayMs: 2000;
        readonly restartsAtOnce: false;
        readonly factor: 2.5;
        readonly maxDelayMs: 15000;
        readonly delaysMs: readonly [
            2000,
            5000,
            15000
        ];
        readonly jitter: "none";
        readonly maxRetries: 3;
        readonly slowDelaysMs: readonly [
        ];
        readonly maxPerSecond: 50;
        readonly stableAfterMs: 10000;
        readonly reviveOnCall: false;
    };
    readonly "openai-agents": {
        readonly initialDelayMs: 0;
        readonly restartsAtOnce: false;
        readonly factor: 1;
        readonly maxDelayMs: 0;
        readonly jitter: "none";
        readonly maxRetries: 0;
        readonly slowDelaysMs: readonly [
        ];
        readonly maxPerSecond: 50;
        readonly stableAfterMs: 0;
        readonly reviveOnCall: false;
    };
    readonly "claude-code": {
        readonly initialDelayMs: 1000;
        readonly restartsAtOnce: false;
        readonly factor: 2;
        readonly maxDelayMs: 30000;
        readonly jitter: "full";
        readonly maxRetries: 5;
        readonly slowDelaysMs: readonly [
        ];
        readonly maxPerSecond: 50;
        readonly stableAfterMs: 10000;
        readonly reviveOnCall: false;
    };
    readonly hexos: {
        readonly initialDelayMs: 250;
        readonly restartsAtOnce: false;
        readonly factor: 2;
        readonly maxDelayMs: 2000;
        readonly jitter: "around";
        readonly maxRetries: 2;
        readonly slowDelaysMs: readonly [
        ];
        readonly maxPerSecond: 50;
        readonly stableAfterMs: 10000;
        readonly reviveOnCall: true;
    };
};
type NamingStrategy = "mcp__server__tool" | "mcp__server_tool" | "mcp_server_tool" | "mcp_server__tool" | "tool";
type NameTool = (tool: {
    readonly server: string;
    readonly tool: string;
}) => string;
interface NamingOptions {
    readonly strategy?: NamingStrategy | NameTool | undefined;
    readonly reserved?: readonly string[] | undefined;
}
declare const NAMING_PRESETS: {
    readonly "claude-code": {
        readonly strategy: "mcp__server__tool";
    };
    readonly "oh-my-pi": {
        readonly strategy: "mcp__server_tool";
    };
    readonly "openai-agents": {
        readonly strategy: "mcp_server__tool";
    };
    readonly sidecar: {
        readonly strategy: "mcp_server_tool";
    };
    readonly hexos: {
        readonly strategy: "tool";
    };
};
interface StartupOptions {
    readonly gateMs?: number | undefined;
    readonly staleAfterMs?: number | undefined;
    readonly uncached?: "wait" | "later" | undefined;
    readonly lazy?: boolean | undefined;
    readonly concurrency?: number | undefined;
    readonly failures?: "keep" | "drop" | "throw" | undefined;
}
interface ManagerLimits extends ServerLimits {
    readonly toolPollIntervalMs?: number | undefined;
    readonly resourceUpdateQuietMs?: number | undefined;
    readonly closeTimeoutMs?: number | undefined;
}
type RetryOptions = {
    readonly [K in keyof RetryPolicy]?: RetryPolicy[K] | undefined;
} & {
    readonly heartbeat?: HeartbeatOptions | undefined;
};
interface UnusableServer extends Pick<ServerSnapshot, "name" | "transport" | "definedIn"> {
    readonly error: McpError;
}
type ConfiguredServer = ServerDefinition | UnusableServer;
interface McpManagerOptions {
    readonly servers: readonly ConfiguredServer[];
    readonly connect: Connector;
    readonly resolve: ResolveServer;
    readonly cache?: ToolCache | undefined;
    readonly startup?: StartupOptions | undefined;
    readonly retry?: RetryOptions | undefined;
    readonly limits?: ManagerLimits | undefined;
    readonly naming?: NamingOptions | undefined;
    readonly use?: readonly CallMiddleware[] | undefined;
    readonly toolPolicies?: readonly ToolListPolicy[] | undefined;
    readonly search?: ToolSearchSettings | undefined;
    readonly handlers?: HostHandlers | undefined;
    readonly auth?: AuthPort | undefined;
    readonly principal?: string | undefined;
    readonly credentials?: KnownCredentials | undefined;
    readonly log?: Logger | undefined;
}
type OperationOptions = Pick<RequestOptions, "signal" | "timeoutMs">;
interface ReloadReport {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
    readonly kept: readonly string[];
}
interface StartupReport {
    readonly ready: readonly ServerSnapshot[];
    readonly cached: readonly ServerSnapshot[];
    readonly failed: readonly {
        readonly name: string;
        readonly error: McpError;
    }[];
    readonly waiting: readonly ServerSnapshot[];
    readonly blocked: readonly {
        readonly name: string;
        readonly reason: string;
    }[];
    readonly tookMs: number;
}
interface ViewFilter {
    readonly servers?: readonly string[] | ((server: string) => boolean) | undefined;
    readonly tools?: readonly string[] | ((tool: ToolDescriptor) => boolean) | undefined;
}
interface AsyncViewFilter {
    readonly servers?: readonly string[] | ((server: string) => boolean | Promise<boolean>) | undefined;
    readonly tools?: readonly string[] | ((tool: ToolDescriptor) => boolean | Promise<boolean>) | undefined;
}
interface ToolView extends ContextSource<McpEvents>, AsyncDisposable {
    servers(): readonly ServerSnapshot[];
    view(filter: ViewFilter): ToolView;
    viewFor(filter: AsyncViewFilter): Promise<ToolView>;
    close(): Promise<void>;
}
interface ReconnectOptions extends OperationOptions {
    readonly only?: "all" | "failed" | undefined;
}
interface PrincipalOptions {
    readonly auth?: AuthPort | undefined;
}
interface CloseOptions {
    readonly drainMs?: number | undefined;
}
interface McpManager extends ContextSource<McpEvents>, AsyncDisposable {
    start(options?: {
        readonly signal?: AbortSignal | undefined;
    }): Promise<StartupReport>;
    servers(): readonly ServerSnapshot[];
    ready(servers?: readonly string[], options?: OperationOptions): Promise<void>;
    reload(servers: Iterable<ConfiguredServer>): Promise<ReloadReport>;
    announce(diagnostic: Diagnostic): void;
    reconnect(server?: string, options?: ReconnectOptions): Promise<void>;
    disconnect(server: string): Promise<void>;
    refreshTools(server: string, options?: OperationOptions): Promise<void>;
    view(filter: ViewFilter): ToolView;
    viewFor(filter: AsyncViewFilter): Promise<ToolView>;
    forPrincipal(principal: string, options?: PrincipalOptions): McpManager;
    close(options?: CloseOptions): Promise<void>;
}
declare function createMcpManager(options: McpManagerOptions): McpManager;
export { DEFAULT_RETRY_POLICY, NAMING_PRESETS, RETRY_PRESETS, createMcpManager };
export type { AsyncViewFilter, CloseOptions, ConfiguredServer, HeartbeatOptions, McpManager, McpManagerOptions, NameTool, NamingOptions, NamingStrategy, OperationOptions, PrincipalOptions, ReconnectOptions, ReloadReport, RetryPolicy, StartupOptions, StartupReport, ToolView, UnusableServer, ViewFilter };
