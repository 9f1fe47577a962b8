type JsonValue = string | number | boolean | null | JsonValue[] | {
    [key: string]: JsonValue;
};
type JsonObject = {
    [key: string]: unknown;
};
declare function isRecord(value: unknown): value is JsonObject;
declare function deepFreeze<T>(value: T): T;
declare function isSameJson(one: unknown, other: unknown, work?: {
    spend(units: number): void;
} | undefined): boolean;
declare function canonicalJson(value: unknown): string;
interface ServerRequestCall {
    readonly method: string;
    readonly tool?: string | undefined;
    readonly meta?: JsonObject | undefined;
    readonly principal?: string | undefined;
}
interface ServerRequestContext {
    readonly server: string;
    readonly signal: AbortSignal;
    readonly principal?: string | undefined;
    readonly call?: ServerRequestCall | undefined;
}
interface ElicitationRequest {
    readonly message: string;
    readonly mode: "form" | "url";
    readonly requestedSchema?: JsonObject | undefined;
    readonly url?: string | undefined;
}
type ElicitationAnswer = {
    action: "accept" | "decline" | "cancel";
    content?: {
        [field: string]: string | number | boolean | string[];
    } | undefined;
};
type Root = {
    uri: string;
    name?: string | undefined;
};
interface HostHandlers {
    readonly elicit?: ((request: ElicitationRequest, context: ServerRequestContext) => Promise<ElicitationAnswer>) | undefined;
    readonly sample?: ((params: JsonObject, context: ServerRequestContext) => Promise<JsonObject>) | undefined;
    readonly roots?: ((context: ServerRequestContext) => Promise<readonly Root[]>) | undefined;
}
type ContentAnnotations = {
    audience?: ("user" | "assistant")[] | undefined;
    priority?: number | undefined;
    lastModified?: string | undefined;
};
type BlockCommon = {
    annotations?: ContentAnnotations | undefined;
    _meta?: JsonObject | undefined;
};
type TextContent = BlockCommon & {
    type: "text";
    text: string;
};
type ImageContent = BlockCommon & {
    type: "image";
    data: string;
    mimeType: string;
};
type AudioContent = BlockCommon & {
    type: "audio";
    data: string;
    mimeType: string;
};
type TextResourceContents = {
    uri: string;
    mimeType?: string | undefined;
    text: string;
    _meta?: JsonObject | undefined;
};
type BlobResourceContents = {
    uri: string;
    mimeType?: string | undefined;
    blob: string;
    _meta?: JsonObject | undefined;
};
type ResourceContents = TextResourceContents | BlobResourceContents;
type EmbeddedResource = BlockCommon & {
    type: "resource";
    resource: ResourceContents;
};
type ResourceLink = BlockCommon & {
    type: "resource_link";
    uri: string;
    name: string;
    title?: string | undefined;
    description?: string | undefined;
    mimeType?: string | undefined;
    size?: number | undefined;
};
type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;
type ToolCallResult = {
    content: ContentBlock[];
    structuredContent?: unknown;
    isError?: boolean | undefined;
    _meta?: JsonObject | undefined;
};
interface InputRequest {
    readonly method: string;
    readonly params?: JsonObject | undefined;
}
type InputRequiredResult = ToolCallResult & {
    resultType: "input_required";
    inputRequests: {
        [key: string]: InputRequest;
    };
    requestState?: string | undefined;
};
interface InputOptions {
    readonly inputRequired?: "handlers" | "return" | undefined;
    readonly inputResponses?: {
        readonly [key: string]: JsonObject;
    } | undefined;
    readonly requestState?: string | undefined;
}
declare function isInputRequired(result: ToolCallResult): result is InputRequiredResult;
declare const ERROR_CODES: {
    readonly MCP_CONFIG_INVALID: {
        readonly means: "A configuration file, an entry or an option is not valid.";
        readonly retryable: false;
    };
    readonly MCP_CONFIG_NOT_FOUND: {
        readonly means: "A configuration file that was named does not exist or cannot be read.";
        readonly retryable: false;
    };
    readonly MCP_CONFIG_VARIABLE_MISSING: {
        readonly means: "An entry refers to a variable that has neither a value nor a default.";
        readonly retryable: false;
    };
    readonly MCP_STORAGE_FAILED: {
        readonly means: "A file or folder that Jackfield keeps or writes could not be used.";
        readonly retryable: false;
    };
    readonly MCP_APPROVAL_REQUIRED: {
        readonly means: "The entry comes from a project, and its current content has not been approved.";
        readonly retryable: false;
    };
    readonly MCP_AUTH_REQUIRED: {
        readonly means: "The server requires authorization that is missing, expired or refused.";
        readonly retryable: false;
    };
    readonly MCP_TRANSPORT_UNSUPPORTED: {
        readonly means: "The connector in use cannot open this kind of transport.";
        readonly retryable: false;
    };
    readonly MCP_COMMAND_NOT_FOUND: {
        readonly means: "The server's command does not exist or cannot be executed.";
        readonly retryable: false;
    };
    readonly MCP_CONNECT_FAILED: {
        readonly means: "The server could not be reached, or refused the connection.";
        readonly retryable: true;
    };
    readonly MCP_CONNECT_TIMEOUT: {
        readonly means: "The server was not ready within its connect deadline.";
        readonly retryable: true;
    };
    readonly MCP_SERVER_EXITED: {
        readonly means: "The server's process ended.";
        readonly retryable: true;
    };
    readonly MCP_HANDSHAKE_FAILED: {
        readonly means: "The server started, but exited or hung up before the handshake was complete.";
        readonly retryable: true;
    };
    readonly MCP_SESSION_LOST: {
        readonly means: "The connection or the session ended while it was in use.";
        readonly retryable: true;
    };
    readonly MCP_PROTOCOL_VIOLATED: {
        readonly means: "The server sent something that is not valid MCP.";
        readonly retryable: true;
    };
    readonly MCP_PROTOCOL_UNSUPPORTED: {
        readonly means: "The server and this client share no protocol version.";
        readonly retryable: false;
    };
    readonly MCP_REQUEST_REJECTED: {
        readonly means: "The server returned an error for a request that was not a tool call.";
        readonly retryable: false;
    };
    readonly MCP_SERVER_UNKNOWN: {
        readonly means: "No server of this name is configured.";
        readonly retryable: false;
    };
    readonly MCP_TOOL_UNKNOWN: {
        readonly means: "No server offers a tool of this name.";
        readonly retryable: false;
    };
    readonly MCP_TOOL_REJECTED: {
        readonly means: "The server answered a tool call with a protocol error.";
        readonly retryable: false;
    };
    readonly MCP_TOOL_CHANGED: {
        readonly means: "The tool differs from the one that was accepted earlier.";
        readonly retryable: false;
    };
    readonly MCP_CALL_DENIED: {
        readonly means: "The call was not approved.";
        readonly retryable: false;
    };
    readonly MCP_CALL_TIMEOUT: {
        readonly means: "A request was not answered within its deadline.";
        readonly retryable: false;
    };
    readonly MCP_ARGUMENTS_INVALID: {
        readonly means: "The arguments do not fit the tool; nothing was sent.";
        readonly retryable: false;
    };
    readonly MCP_OUTCOME_UNKNOWN: {
        readonly means: "The request may or may not have been carried out; it was not repeated.";
        readonly retryable: false;
    };
    readonly MCP_LIMIT_EXCEEDED: {
        readonly means: "A limit on size, pages or time was exceeded.";
        readonly retryable: false;
    };
    readonly MCP_ABORTED: {
        readonly means: "The caller aborted the operation.";
        readonly retryable: false;
    };
    readonly MCP_CLOSED: {
        readonly means: "The runtime or the server was closed.";
        readonly retryable: false;
    };
    readonly MCP_INTERNAL: {
        readonly means: "Jackfield itself failed; please report it.";
        readonly retryable: false;
    };
};
type ErrorCode = keyof typeof ERROR_CODES;
interface SourceLocation {
    readonly file?: string | undefined;
    readonly line?: number | undefined;
    readonly column?: number | undefined;
    readonly pointer?: string | undefined;
}
type Phase = "config" | "approve" | "resolve" | "spawn" | "handshake" | "list" | "call" | "close";
type CallOutcome = "not-sent" | "rejected" | "unknown";
interface NeededLogin {
    readonly server: string;
    readonly principal?: string | undefined;
    readonly scopes: readonly string[];
}
interface McpErrorDetails {
    readonly server?: string | undefined;
    readonly tool?: string | undefined;
    readonly phase?: Phase | undefined;
    readonly outcome?: CallOutcome | undefined;
    readonly location?: SourceLocation | undefined;
    readonly httpStatus?: number | undefined;
    readonly rpcCode?: number | undefined;
    readonly retryAfterMs?: number | undefined;
    readonly stderr?: string | undefined;
    readonly login?: NeededLogin | undefined;
    readonly cause?: unknown;
}
declare class McpError extends Error {
    readonly name = "McpError";
    readonly code: ErrorCode;
    readonly server: string | undefined;
    readonly tool: string | undefined;
    readonly phase: Phase | undefined;
    readonly outcome: CallOutcome | undefined;
    readonly location: SourceLocation | undefined;
    readonly httpStatus: number | undefined;
    readonly rpcCode: number | undefined;
    readonly retryAfterMs: number | undefined;
    readonly stderr: string | undefined;
    readonly login: NeededLogin | undefined;
    constructor(code: ErrorCode, message: string, details?: McpErrorDetails);
    get retryable(): boolean;
    toJSON(): McpErrorReport;
}
interface McpErrorReport extends Omit<McpErrorDetails, "cause"> {
    readonly code: ErrorCode;
    readonly message: string;
}
declare function isMcpError(value: unknown, code?: ErrorCode): value is McpError;
declare function toMcpError(value: unknown, code: ErrorCode, message: string, details?: McpErrorDetails): McpError;
type ToolAnnotations = {
    title?: string | undefined;
    readOnlyHint?: boolean | undefined;
    destructiveHint?: boolean | undefined;
    idempotentHint?: boolean | undefined;
    openWorldHint?: boolean | undefined;
};
type ToolInputSchema = {
    type: "object";
    properties?: {
        [name: string]: JsonValue;
    } | undefined;
    required?: string[] | undefined;
    [keyword: string]: unknown;
};
type ToolDefinition = {
    name: string;
    title?: string | undefined;
    description?: string | undefined;
    inputSchema: ToolInputSchema;
    outputSchema?: {
        [keyword: string]: unknown;
    } | undefined;
    annotations?: ToolAnnotations | undefined;
    _meta?: JsonObject | undefined;
};
interface ToolDescriptor {
    readonly name: string;
    readonly server: string;
    readonly originalName: string;
    readonly description: string;
    readonly definition: ToolDefinition;
    readonly origin: "live" | "cache";
    readonly requiresApproval: boolean;
    readonly checkArguments?: false | undefined;
}
interface Progress {
    readonly progress: number;
    readonly total?: number | undefined;
    readonly message?: string | undefined;
}
interface RequestOptions {
    readonly signal?: AbortSignal | undefined;
    readonly timeoutMs?: number | undefined;
    readonly maxTotalMs?: number | undefined;
    readonly onProgress?: ((progress: Progress) => void) | undefined;
    readonly meta?: JsonObject | undefined;
    readonly handlers?: HostHandlers | undefined;
}
interface SessionRequestOptions extends RequestOptions, InputOptions {
    readonly tool?: ToolDefinition | undefined;
    readonly principal?: string | undefined;
    readonly refusal?: (() => McpError | undefined) | undefined;
}
interface CallOptions extends RequestOptions, InputOptions {
    readonly audience?: "model" | "program" | undefined;
    readonly approved?: string | undefined;
    readonly replay?: "never" | "trusted" | number | undefined;
    readonly output?: "refuse" | "warn" | undefined;
}
interface Diagnostic extends SourceLocation {
    readonly code: string;
    readonly severity: "error" | "warning" | "info";
    readonly message: string;
    readonly server?: string | undefined;
}
type ServerStatus = "idle" | "connecting" | "ready" | "backoff" | "failed" | "closing" | "closed";
interface ErrorReport {
    readonly code: ErrorCode;
    readonly message: string;
    readonly at: number;
    readonly stderr?: string | undefined;
    readonly login?: NeededLogin | undefined;
}
type ToolsFrom = "live" | "cache" | "stale" | "none";
interface ServerSnapshot {
    readonly name: string;
    readonly status: ServerStatus;
    readonly transport?: TransportKind | undefined;
    readonly since: number;
    readonly error?: ErrorReport | undefined;
    readonly retryAt?: number | undefined;
    readonly tools: number;
    readonly toolsFrom: ToolsFrom;
    readonly era?: ProtocolEra | undefined;
    readonly serverInfo?: Implementation | undefined;
    readonly instructions?: string | undefined;
    readonly calls: number;
    readonly failures: number;
    readonly definedIn: DefinedIn;
}
type ToolRef = string | {
    readonly server: string;
    readonly tool: string;
    readonly digest?: string | undefined;
};
interface ToolsChanged {
    readonly server: string;
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
}
interface SearchToolsOptions {
    readonly limit?: number | undefined;
    readonly servers?: readonly string[] | undefined;
    readonly tools?: ((tool: ToolDescriptor) => boolean) | undefined;
    readonly warmUp?: boolean | undefined;
}
interface SourceEvents {
    toolsChanged: ToolsChanged;
}
interface ToolSource<Events extends SourceEvents = SourceEvents> {
    tools(): readonly ToolDescriptor[];
    servers?(): readonly ServerSnapshot[];
    searchTools(query: string, options?: SearchToolsOptions): readonly ToolDescriptor[];
    callTool(tool: ToolRef, args?: JsonObject, options?: CallOptions): Promise<ToolCallResult>;
    on<E extends keyof Events>(event: E, listener: (event: Events[E]) => void): () => void;
}
interface McpEvents extends SourceEvents {
    statusChanged: {
        readonly before: ServerStatus;
        readonly snapshot: ServerSnapshot;
    };
    catalogChanged: {
        readonly server: string;
        readonly kind: "resources" | "prompts";
    };
    unhealthy: {
        readonly server: string;
        readonly error: ErrorReport;
    };
    resourceUpdated: {
        readonly server: string;
        readonly uri: string;
    };
    notification: {
        readonly server: string;
        readonly method: string;
        readonly params: unknown;
    };
    diagnostic: Diagnostic;
}
interface ToolTypes {
}
type KnownTool<Ref extends ToolRef> = Ref extends keyof ToolTypes ? ToolTypes[Ref] : Ref extends {
    readonly server: infer Server;
    readonly tool: infer Tool;
} ? Extract<ToolTypes[keyof ToolTypes], {
    readonly server: Server;
    readonly tool: Tool;
}> : never;
type ToolInput<Ref extends ToolRef> = [
    KnownTool<Ref>
] extends [
    never
] ? JsonObject : KnownTool<Ref> extends {
    readonly input: infer Input;
} ? Input : JsonObject;
type ToolResultOf<Ref extends ToolRef> = [
    KnownTool<Ref>
] extends [
    never
] ? ToolCallResult : KnownTool<Ref> extends {
    readonly output: infer Output;
} ? Omit<ToolCallResult, "structuredContent"> & {
    structuredContent?: Output | undefined;
} : ToolCallResult;
type ToolCallParameters<Ref extends ToolRef, Options> = {} extends ToolInput<Ref> ? [
    args?: ToolInput<Ref> | undefined,
    options?: Options | undefined
] : [
    args: ToolInput<Ref>,
    options?: Options | undefined
];
type ResourceDefinition = {
    uri: string;
    name: string;
    title?: string | undefined;
    description?: string | undefined;
    mimeType?: string | undefined;
    size?: number | undefined;
    annotations?: ContentAnnotations | undefined;
    _meta?: JsonObject | undefined;
};
type ResourceTemplateDefinition = {
    uriTemplate: string;
    name: string;
    title?: string | undefined;
    description?: string | undefined;
    mimeType?: string | undefined;
    annotations?: ContentAnnotations | undefined;
    _meta?: JsonObject | undefined;
};
type ReadResourceResult = {
    contents: ResourceContents[];
    _meta?: JsonObject | undefined;
};
type PromptArgument = {
    name: string;
    title?: string | undefined;
    description?: string | undefined;
    required?: boolean | undefined;
};
type PromptDefinition = {
    name: string;
    title?: string | undefined;
    description?: string | undefined;
    arguments?: PromptArgument[] | undefined;
    _meta?: JsonObject | undefined;
};
type PromptMessage = {
    role: "user" | "assistant";
    content: ContentBlock;
};
type GetPromptResult = {
    description?: string | undefined;
    messages: PromptMessage[];
    _meta?: JsonObject | undefined;
};
type CompletionRequest = {
    ref: {
        type: "ref/prompt";
        name: string;
    } | {
        type: "ref/resource";
        uri: string;
    };
    argument: {
        name: string;
        value: string;
    };
    context?: {
        arguments?: {
            [name: string]: string;
        } | undefined;
    } | undefined;
};
type CompletionResult = {
    completion: {
        values: string[];
        total?: number | undefined;
        hasMore?: boolean | undefined;
    };
    _meta?: JsonObject | undefined;
};
type Owned<T> = T & {
    readonly server: string;
};
interface ResourceSubscription extends AsyncDisposable {
    readonly server: string;
    readonly uri: string;
    close(): Promise<void>;
}
interface ContextSource<Events extends SourceEvents = SourceEvents> extends ToolSource<Events> {
    resources(server?: string): Promise<readonly Owned<ResourceDefinition>[]>;
    resourceTemplates(server?: string): Promise<readonly Owned<ResourceTemplateDefinition>[]>;
    readResource(server: string, uri: string, options?: RequestOptions): Promise<ReadResourceResult>;
    subscribe(server: string, uri: string, listener: () => void, options?: Pick<RequestOptions, "signal" | "timeoutMs">): Promise<ResourceSubscription>;
    prompts(server?: string): Promise<readonly Owned<PromptDefinition>[]>;
    getPrompt(server: string, name: string, args?: {
        [name: string]: string;
    }, options?: RequestOptions): Promise<GetPromptResult>;
    complete(server: string, request: CompletionRequest, options?: RequestOptions): Promise<CompletionResult>;
}
type LogLevel = "debug" | "info" | "warn" | "error";
type LogFields = {
    readonly server?: string | undefined;
    readonly [field: string]: unknown;
};
type Logger = (level: LogLevel, message: string, fields?: LogFields) => void;
declare const silentLogger: Logger;
interface TracedRequest {
    readonly id: number;
    readonly method: string;
    readonly params: JsonObject;
    readonly protocolVersion?: string | undefined;
}
type RequestEnding = {
    readonly result: JsonObject;
} | {
    readonly rpcError: {
        readonly code: number;
        readonly message: string;
    };
} | {
    readonly error: unknown;
};
interface RequestTrace {
    readonly meta?: JsonObject | undefined;
    within(send: () => void): void;
    ended(ending: RequestEnding): void;
}
type TraceRequest = (request: TracedRequest) => RequestTrace;
type ProtocolEra = "modern" | "legacy";
type Implementation = {
    name: string;
    version: string;
    title?: string | undefined;
};
interface Handshake {
    readonly era: ProtocolEra;
    readonly protocolVersion: string;
    readonly serverInfo?: Implementation | undefined;
    readonly capabilities: JsonObject;
    readonly instructions?: string | undefined;
    readonly prior: PriorHandshake;
}
type PriorHandshake = {
    readonly era: "modern";
    readonly at: number;
    readonly discover: JsonObject;
} | {
    readonly era: "legacy";
    readonly at: number;
    readonly transport?: "sse" | undefined;
};
interface CatalogItems {
    tools: ToolDefinition;
    resources: ResourceDefinition;
    resourceTemplates: ResourceTemplateDefinition;
    prompts: PromptDefinition;
}
type CatalogKind = keyof CatalogItems;
interface Listing<K extends CatalogKind = CatalogKind> {
    readonly items: readonly CatalogItems[K][];
    readonly isCut?: boolean | undefined;
    readonly ttlMs?: number | undefined;
    readonly cacheScope?: "public" | "private" | undefined;
}
interface SessionMethods {
    "tools/call": {
        params: {
            name: string;
            arguments?: JsonObject | undefined;
        };
        result: ToolCallResult;
    };
    "resources/read": {
        params: {
            uri: string;
        };
        result: ReadResourceResult;
    };
    "resources/subscribe": {
        params: {
            uri: string;
        };
        result: JsonObject;
    };
    "resources/unsubscribe": {
        params: {
            uri: string;
        };
        result: JsonObject;
    };
    "prompts/get": {
        params: {
            name: string;
            arguments?: {
                [name: string]: string;
            } | undefined;
        };
        result: GetPromptResult;
    };
    "completion/complete": {
        params: CompletionRequest;
        result: CompletionResult;
    };
    "logging/setLevel": {
        params: {
            level: string;
        };
        result: JsonObject;
    };
    ping: {
        params: undefined;
        result: JsonObject;
    };
}
type SessionMethod = keyof SessionMethods;
type SessionParams<M extends SessionMethod> = SessionMethods[M]["params"];
type SessionResult<M extends SessionMethod> = SessionMethods[M]["result"];
interface ServerNotification {
    readonly method: string;
    readonly params?: unknown;
}
interface Session extends AsyncDisposable {
    readonly handshake: Handshake;
    list<K extends CatalogKind>(kind: K, options: {
        readonly signal: AbortSignal;
    }): Promise<Listing<K>>;
    request<M extends SessionMethod>(method: M, params: SessionParams<M>, options?: SessionRequestOptions): Promise<SessionResult<M>>;
    onNotification(listener: (notification: ServerNotification) => void): () => void;
    onRenewed(listener: () => void): () => void;
    onClose(listener: (cause?: McpError) => void): () => void;
    close(): Promise<void>;
}
interface ConnectOptions {
    readonly signal: AbortSignal;
    readonly prior?: PriorHandshake | undefined;
    readonly principal?: string | undefined;
    readonly handlers?: HostHandlers | undefined;
    readonly auth?: AuthPort | undefined;
    readonly trace?: TraceRequest | undefined;
    readonly closeTimeoutMs?: number | undefined;
    readonly beforeRenewal?: ((signal: AbortSignal) => Promise<void>) | undefined;
    readonly log: Logger;
}
type Connector = (server: ResolvedServer, options: ConnectOptions) => Promise<Session>;
type DefinitionScope = "explicit" | "managed" | "local" | "project" | "user" | "extension";
interface DefinedIn extends SourceLocation {
    readonly scope: DefinitionScope;
    readonly host?: string | undefined;
    readonly realFile?: string | undefined;
    readonly root?: string | undefined;
    readonly parts?: {
        readonly [field: string]: Pick<DefinedIn, "scope" | "file" | "realFile" | "root">;
    } | undefined;
}
interface ShadowedServer {
    readonly name: string;
    readonly definedIn: DefinedIn;
}
interface OAuthSettings {
    readonly enabled?: boolean | undefined;
    readonly clientId?: string | undefined;
    readonly clientSecret?: string | undefined;
    readonly scopes?: readonly string[] | undefined;
    readonly redirectUri?: string | undefined;
    readonly callbackPort?: number | undefined;
    readonly resource?: string | false | undefined;
    readonly issuer?: string | undefined;
    readonly authorizationUrl?: string | undefined;
    readonly tokenUrl?: string | undefined;
    readonly grantType?: string | undefined;
    readonly privateKey?: string | undefined;
    readonly algorithm?: string | undefined;
    readonly dpop?: boolean | undefined;
    readonly [member: string]: unknown;
}
declare const REFERRING_OAUTH_SETTINGS: readonly [
    "clientId",
    "clientSecret",
    "privateKey",
    "redirectUri",
    "resource",
    "issuer",
    "authorizationUrl",
    "tokenUrl"
];
interface ServerLimits {
    readonly connectTimeoutMs?: number | undefined;
    readonly callTimeoutMs?: number | undefined;
    readonly maxTotalMs?: number | undefined;
    readonly maxMessageBytes?: number | undefined;
    readonly maxTools?: number | undefined;
    readonly maxConcurrentCalls?: number | undefined;
    readonly idleTimeoutMs?: number | undefined;
    readonly era?: "legacy" | "modern" | undefined;
    readonly trustAnnotations?: boolean | undefined;
    readonly checkArguments?: boolean | undefined;
}
declare const DEFAULT_LIMITS: Required<{
    readonly [K in Exclude<keyof ServerLimits, "era">]: NonNullable<ServerLimits[K]>;
}>;
declare function mostListed(kind: CatalogKind, { maxTools }?: ServerLimits): number;
interface ToolFilter {
    readonly include?: readonly string[] | undefined;
    readonly exclude?: readonly string[] | undefined;
}
interface DefinitionCommon {
    readonly name: string;
    readonly definedIn: DefinedIn;
    readonly enabled?: boolean | undefined;
    readonly disabledBy?: string | undefined;
    readonly shadows?: readonly ShadowedServer[] | undefined;
    readonly lazy?: boolean | undefined;
    readonly shared?: boolean | undefined;
    readonly limits?: ServerLimits | undefined;
    readonly tools?: ToolFilter | undefined;
    readonly variables?: readonly string[] | undefined;
    readonly extra?: {
        readonly [field: string]: unknown;
    } | undefined;
}
interface StdioServerDefinition extends DefinitionCommon {
    readonly transport: "stdio";
    readonly command: string;
    readonly args?: readonly string[] | undefined;
    readonly env?: {
        readonly [name: string]: string;
    } | undefined;
    readonly envUnset?: readonly string[] | undefined;
    readonly envPassthrough?: readonly string[] | undefined;
    readonly envFile?: string | undefined;
    readonly cwd?: string | undefined;
}
interface HeadersRequest {
    readonly principal?: string | undefined;
    readonly rejected?: boolean | undefined;
    readonly signal: AbortSignal;
}
type MakeHeaders = (request: HeadersRequest) => HeaderValues | Promise<HeaderValues>;
interface HeaderValues {
    readonly [name: string]: string | undefined;
}
interface RemoteDefinition extends DefinitionCommon {
    readonly url: string;
    readonly headers?: {
        readonly [name: string]: string;
    } | undefined;
    readonly makeHeaders?: MakeHeaders | undefined;
    readonly headersFromEnv?: {
        readonly [header: string]: string;
    } | undefined;
    readonly bearerTokenEnv?: string | undefined;
    readonly oauth?: OAuthSettings | false | undefined;
    readonly env?: {
        readonly [name: string]: string;
    } | undefined;
    readonly envFile?: string | undefined;
}
interface HttpServerDefinition extends RemoteDefinition {
    readonly transport: "http";
}
interface SseServerDefinition extends RemoteDefinition {
    readonly transport: "sse";
}
interface InProcessServer {
    connect(transport: never): Promise<void>;
    close?(): Promise<void>;
}
type InProcessServerSource = InProcessServer | (() => InProcessServer | Promise<InProcessServer>);
interface InProcessServerModule {
    readonly default?: InProcessServerSource | undefined;
    readonly server?: InProcessServerSource | undefined;
    readonly createServer?: InProcessServerSource | undefined;
}
interface InProcessServerDefinition extends DefinitionCommon {
    readonly transport: "in-process";
    readonly server: InProcessServer | (() => InProcessServer | InProcessServerModule | Promise<InProcessServer | InProcessServerModule>);
}
type ServerDefinition = StdioServerDefinition | HttpServerDefinition | SseServerDefinition | InProcessServerDefinition;
type TransportKind = ServerDefinition["transport"];
interface ResolvedCommon {
    readonly name: string;
    readonly limits?: ServerLimits | undefined;
    readonly secrets: readonly string[];
    readonly renewable?: boolean | undefined;
}
interface ResolvedStdioServer extends ResolvedCommon {
    readonly transport: "stdio";
    readonly command: string;
    readonly args: readonly string[];
    readonly env: {
        readonly [name: string]: string;
    };
    readonly inherited?: readonly string[] | undefined;
    readonly withheld?: readonly string[] | undefined;
    readonly cwd?: string | undefined;
}
interface ResolvedRemoteServer extends ResolvedCommon {
    readonly transport: "http" | "sse";
    readonly url: string;
    readonly headers: {
        readonly [name: string]: string;
    };
}
interface ResolvedInProcessServer extends ResolvedCommon {
    readonly transport: "in-process";
    readonly server: InProcessServerDefinition["server"];
}
type ResolvedServer = ResolvedStdioServer | ResolvedRemoteServer | ResolvedInProcessServer;
interface ResolveOptions {
    readonly signal: AbortSignal;
    readonly principal?: string | undefined;
    readonly rejected?: boolean | undefined;
    readonly doubted?: boolean | undefined;
}
type ResolveServer = (definition: ServerDefinition, options: ResolveOptions) => Promise<ResolvedServer>;
interface TlsOptions {
    readonly ca?: string | readonly string[] | undefined;
    readonly cert?: string | undefined;
    readonly key?: string | undefined;
    readonly passphrase?: string | undefined;
}
interface NetworkOptions {
    readonly tls?: TlsOptions | undefined;
    readonly proxy?: boolean | undefined;
}
type NetworkFor<T extends NetworkOptions = NetworkOptions> = (server: ResolvedRemoteServer, options: Pick<CredentialOptions, "principal">) => T;
interface AuthChallenge {
    readonly status: 401 | 403;
    readonly wwwAuthenticate?: string | undefined;
    readonly dpopNonce?: string | undefined;
}
interface CredentialedRequest {
    readonly method: string;
    readonly url: string;
}
interface CredentialOptions {
    readonly principal?: string | undefined;
    readonly signal: AbortSignal;
}
interface AuthPort {
    headers(server: ResolvedServer, options: CredentialOptions & {
        readonly request?: CredentialedRequest | undefined;
    }): Promise<Record<string, string>>;
    account?(server: ResolvedServer, options: CredentialOptions): Promise<string | undefined>;
    onChallenge(server: ResolvedServer, challenge: AuthChallenge, options: CredentialOptions): Promise<"retry" | "fail">;
    useNetwork?(network: NetworkOptions | NetworkFor): void;
}
interface ToolCall {
    readonly tool: ToolDescriptor;
    readonly args: JsonObject;
    readonly options: CallOptions;
}
interface CallChange {
    readonly args?: JsonObject | undefined;
    readonly meta?: JsonObject | undefined;
}
type CallMiddleware = (call: Readonly<ToolCall>, next: (change?: CallChange) => Promise<ToolCallResult>) => Promise<ToolCallResult>;
interface ToolListPolicy {
    (tool: ToolDescriptor): ToolDescriptor | {
        readonly blocked: string;
    };
    readonly prepare?: ((definition: ToolDefinition) => void) | undefined;
}
declare function withoutCredentialForms(text: string): string;
declare function namesCredential(name: string): boolean;
declare function beginsLikeKey(text: string): boolean;
declare function isPlaceholder(value: string): boolean;
declare function isCredential(name: string, value: string): boolean;
declare function credentialsIn(name: string, value: string): readonly string[];
declare function credentialsInText(text: string): readonly string[];
declare function credentialsOfHeader(name: string, value: string): readonly string[];
declare function credentialsOfAuthorization(value: string): readonly string[];
interface UrlParts {
    readonly userinfos: readonly string[];
    readonly parameters: readonly {
        readonly name: string;
        readonly value: string;
    }[];
}
declare function urlParts(text: string): UrlParts;
interface NamedArgument {
    readonly name: string;
    readonly value: string;
}
declare function namedArguments(args: readonly string[]): readonly NamedArgument[];
declare function decoded(text: string): string;
declare function ownCredentials({ headers, url, }: Pick<ResolvedRemoteServer, "headers" | "url">): "header" | "url" | undefined;
declare const MAX_TIMER_MS: number;
declare function startTimer(fire: () => void, afterMs: number): NodeJS.Timeout;
interface LongTimer {
    hold(): Disposable;
    clear(): void;
}
declare function setLongTimer(at: number, due: () => void): LongTimer;
interface DeadlineOptions {
    readonly signal?: AbortSignal | undefined;
    readonly timeoutMs: number;
    readonly aborted: (reason: unknown) => Error;
    readonly expired: () => Error;
}
interface Deadline extends Disposable {
    readonly signal: AbortSignal;
    readonly at: number;
}
declare function createDeadline({ signal, timeoutMs, aborted, expired }: DeadlineOptions): Deadline;
declare function raceSignal<T>(promise: Promise<T>, signal: AbortSignal, reason?: (signal: AbortSignal) => unknown): Promise<T>;
declare class KeyedQueue {
    #private;
    run<T>(key: string, work: (hadToWait: boolean) => Promise<T>, signal?: AbortSignal | undefined): Promise<T>;
}
interface TextCut {
    readonly start?: boolean | undefined;
    readonly end?: boolean | undefined;
}
declare class Redactor {
    #private;
    constructor(credentials?: Iterable<string>);
    get isEmpty(): boolean;
    add(credentials: Iterable<string>): void;
    remove(credentials: Iterable<string>): void;
    finds(text: string): boolean;
    hide(text: string, cut?: TextCut): string;
    hideIn<T>(data: T): T;
}
declare class KnownCredentials extends Redactor {
    #private;
    admit(principal: string | undefined): () => void;
    record(principal: string | undefined, into: readonly string[], credentials: readonly string[]): void;
    recording(resolve: ResolveServer): ResolveServer;
    hiding<T>(answer: Promise<T>): Promise<T>;
    logger(log: Logger): Logger;
}
interface OptionKind {
    readonly what: string;
    fits(value: unknown): boolean;
    readonly group?: OptionKinds | undefined;
    isOther?(value: unknown): boolean;
}
interface OptionKinds {
    readonly [option: string]: OptionKind;
}
declare const optionKinds: {
    any: {
        what: string;
        fits: () => true;
    };
    text: {
        what: string;
        fits: typeof isText;
    };
    name: {
        what: string;
        fits: (value: unknown) => boolean;
    };
    flag: {
        what: string;
        fits: (value: unknown) => value is boolean;
    };
    callable: {
        what: string;
        fits: typeof isFunction;
    };
    record: {
        what: string;
        fits: typeof isRecord;
    };
    texts: OptionKind;
    callables: OptionKind;
};
declare function optionNumber(least: number): OptionKind;
declare function optionList(what: string, fits: (element: unknown) => boolean): OptionKind;
declare function optionChoice(...choices: readonly unknown[]): OptionKind;
declare function optionGroup(group: OptionKinds, what?: string): OptionKind;
declare function optionPort(what: string, methods: readonly string[]): OptionKind;
declare function optionEither(first: OptionKind, ...others: readonly OptionKind[]): OptionKind;
interface OptionCheck {
    readonly of?: string | undefined;
    readonly renamed?: {
        readonly [path: string]: string;
    } | undefined;
}
declare function checkOptions(given: unknown, kinds: OptionKinds, { of, renamed }?: OptionCheck): void;
declare function checkOption(path: string, value: unknown, kind: OptionKind): void;
declare function invalidOption(message: string, details?: McpErrorDetails): McpError;
declare function isText(value: unknown): value is string;
declare function isFunction(value: unknown): boolean;
declare function parseRetryAfter(header: string | null, now: number): number | undefined;
interface StateStore {
    get(key: string): Promise<string | undefined>;
    set(key: string, value: string): Promise<void>;
    setIfMissing?(key: string, value: string): Promise<boolean>;
    delete(key: string): Promise<void>;
    keys(prefix: string): Promise<readonly string[]>;
}
declare function thrownText(thrown: unknown): string;
declare function thrownMessage(thrown: unknown): string;
interface TimeSlices {
    isOver(): boolean;
    next(): Promise<void>;
}
declare function createTimeSlices(): TimeSlices;
declare const CHARACTERS_PER_TOKEN = 4;
declare function estimateTokens({ name, description, definition, }: Pick<ToolDescriptor, "name" | "description" | "definition">): number;
declare const catalogIdBrand: unique symbol;
type CatalogId = string & {
    readonly [catalogIdBrand]: true;
};
interface CatalogIdentity {
    readonly id: CatalogId;
    readonly credentials: string;
}
interface IdentifyOptions {
    readonly definition?: ServerDefinition | undefined;
    readonly principal?: string | undefined;
    readonly account?: string | undefined;
}
interface LastOutcome {
    readonly ok: boolean;
    readonly at: number;
    readonly tookMs: number;
    readonly code?: ErrorCode | undefined;
}
interface CatalogEntry {
    readonly server: string;
    readonly credentials: string;
    readonly tools?: readonly ToolDefinition[] | undefined;
    readonly resources?: readonly ResourceDefinition[] | undefined;
    readonly resourceTemplates?: readonly ResourceTemplateDefinition[] | undefined;
    readonly prompts?: readonly PromptDefinition[] | undefined;
    readonly instructions?: string | undefined;
    readonly serverInfo?: Implementation | undefined;
    readonly capabilities?: JsonObject | undefined;
    readonly prior?: PriorHandshake | undefined;
    readonly ttlMs?: number | undefined;
    readonly cacheScope?: "public" | "private" | undefined;
    readonly lastOutcome?: LastOutcome | undefined;
    readonly listedAt: number;
    readonly stale?: boolean | undefined;
}
interface CatalogSummary {
    readonly id: CatalogId;
    readonly server: string;
    readonly tools: number;
    readonly listedAt: number;
    readonly stale: boolean;
}
interface ToolCache {
    identify(server: ResolvedServer, options?: IdentifyOptions): Promise<CatalogIdentity>;
    getMany(ids: readonly CatalogId[]): Promise<ReadonlyMap<CatalogId, CatalogEntry>>;
    set(id: CatalogId, entry: CatalogEntry): Promise<void>;
    markStale(id: CatalogId): Promise<void>;
    delete(id: CatalogId): Promise<void>;
    list(): Promise<readonly CatalogSummary[]>;
    onChange?(listener: (id: CatalogId) => void): () => void;
    close(): Promise<void>;
}
type DigestedTool = Pick<ToolDescriptor, "server" | "originalName" | "description" | "definition">;
declare function toolDigest(tool: DigestedTool): string;
export { CHARACTERS_PER_TOKEN, DEFAULT_LIMITS, ERROR_CODES, KeyedQueue, KnownCredentials, MAX_TIMER_MS, McpError, REFERRING_OAUTH_SETTINGS, Redactor, beginsLikeKey, canonicalJson, checkOption, checkOptions, createDeadline, createTimeSlices, credentialsIn, credentialsInText, credentialsOfAuthorization, credentialsOfHeader, decoded, deepFreeze, estimateTokens, invalidOption, isCredential, isInputRequired, isMcpError, isPlaceholder, isRecord, isSameJson, mostListed, namedArguments, namesCredential, optionChoice, optionEither, optionGroup, optionKinds, optionList, optionNumber, optionPort, ownCredentials, parseRetryAfter, raceSignal, setLongTimer, silentLogger, startTimer, thrownMessage, thrownText, toMcpError, toolDigest, urlParts, withoutCredentialForms };
export type { AudioContent, AuthChallenge, AuthPort, BlobResourceContents, CallChange, CallMiddleware, CallOptions, CallOutcome, CatalogEntry, CatalogId, CatalogIdentity, CatalogItems, CatalogKind, CatalogSummary, CompletionRequest, CompletionResult, ConnectOptions, Connector, ContentAnnotations, ContentBlock, ContextSource, CredentialOptions, CredentialedRequest, Deadline, DefinedIn, DefinitionScope, Diagnostic, DigestedTool, ElicitationAnswer, ElicitationRequest, EmbeddedResource, ErrorCode, ErrorReport, GetPromptResult, Handshake, HostHandlers, HttpServerDefinition, IdentifyOptions, ImageContent, Implementation, InProcessServer, InProcessServerDefinition, InputOptions, InputRequest, InputRequiredResult, JsonObject, JsonValue, LastOutcome, Listing, LogFields, LogLevel, Logger, LongTimer, MakeHeaders, McpErrorDetails, McpErrorReport, McpEvents, NeededLogin, NetworkFor, NetworkOptions, OAuthSettings, OptionKind, Owned, Phase, PriorHandshake, Progress, PromptArgument, PromptDefinition, PromptMessage, ProtocolEra, ReadResourceResult, RequestEnding, RequestOptions, RequestTrace, ResolveOptions, ResolveServer, ResolvedInProcessServer, ResolvedRemoteServer, ResolvedServer, ResolvedStdioServer, ResourceContents, ResourceDefinition, ResourceLink, ResourceSubscription, ResourceTemplateDefinition, Root, SearchToolsOptions, ServerDefinition, ServerLimits, ServerNotification, ServerRequestCall, ServerRequestContext, ServerSnapshot, ServerStatus, Session, SessionMethod, SessionMethods, SessionParams, SessionRequestOptions, SessionResult, ShadowedServer, SourceEvents, SourceLocation, SseServerDefinition, StateStore, StdioServerDefinition, TextContent, TextCut, TextResourceContents, TimeSlices, TlsOptions, ToolAnnotations, ToolCache, ToolCall, ToolCallParameters, ToolCallResult, ToolDefinition, ToolDescriptor, ToolFilter, ToolInput, ToolInputSchema, ToolListPolicy, ToolRef, ToolResultOf, ToolSource, ToolTypes, ToolsChanged, ToolsFrom, TraceRequest, TracedRequest, TransportKind };
