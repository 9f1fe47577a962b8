import { ServerDefinition, StateStore, Logger, ToolFilter, OAuthSettings, Diagnostic, DefinedIn, McpError, ServerLimits, MakeHeaders, InProcessServerDefinition, ResolvedServer, DefinitionScope, SourceLocation, ResolveServer } from "@jackfield/mcp-core";
interface ApprovalLedger {
    isApproved(definition: ServerDefinition): Promise<boolean>;
    approve(definition: ServerDefinition): Promise<void>;
    revoke(definition: ServerDefinition): Promise<boolean>;
}
declare function createApprovalLedger(store: StateStore): ApprovalLedger;
declare function definitionContent(definition: ServerDefinition): string;
type VariableKind = "loader" | "data" | "not-recognised";
type LaunchedPackage = {
    readonly kind: "pinned" | "unpinned" | "not-recognised";
    readonly name: string;
} | {
    readonly kind: "none";
};
interface ServerApprovalRequest {
    readonly definition: ServerDefinition;
    readonly package: LaunchedPackage;
    readonly env: readonly {
        readonly name: string;
        readonly kind: VariableKind;
    }[];
    readonly variables: readonly string[];
    readonly cwd: string | undefined;
    readonly dangerousEnv: readonly string[];
    readonly unpinnedPackage: string | undefined;
    readonly text: string;
}
declare function approvalRequest(definition: ServerDefinition, platform?: NodeJS.Platform): ServerApprovalRequest;
declare function approvalText(request: Omit<ServerApprovalRequest, "text">, columns?: number): string;
declare function approvalIntroduction({ definition }: Pick<ServerApprovalRequest, "definition">): string;
declare function approvalQuestion({ definition }: Pick<ServerApprovalRequest, "definition">): string;
interface FileStateStoreOptions {
    readonly directory: string;
    readonly log?: Logger | undefined;
}
declare function fileStateStore({ directory, log, }: FileStateStoreOptions): Required<StateStore>;
type ServerApprover = (request: ServerApprovalRequest, options: {
    readonly signal: AbortSignal;
}) => Promise<boolean>;
interface PromptApproverOptions {
    readonly input?: (NodeJS.ReadableStream & {
        readonly isTTY?: boolean | undefined;
    }) | undefined;
    readonly output?: NodeJS.WritableStream | undefined;
}
declare function promptApprover(options?: PromptApproverOptions): ServerApprover;
declare function visibleText(text: string): string;
interface WrittenServer {
    readonly transport: "stdio" | "http" | "sse";
    readonly command?: string | undefined;
    readonly args?: readonly string[] | undefined;
    readonly env?: {
        readonly [name: string]: string | null;
    } | undefined;
    readonly envFile?: string | undefined;
    readonly envPassthrough?: readonly string[] | undefined;
    readonly cwd?: string | undefined;
    readonly url?: string | undefined;
    readonly headers?: {
        readonly [name: string]: string;
    } | undefined;
    readonly headersFromEnv?: {
        readonly [header: string]: string;
    } | undefined;
    readonly bearerTokenEnv?: string | undefined;
    readonly timeoutMs?: number | undefined;
    readonly connectTimeoutMs?: number | undefined;
    readonly maxTotalMs?: number | undefined;
    readonly maxMessageBytes?: number | undefined;
    readonly maxTools?: number | undefined;
    readonly maxConcurrentCalls?: number | undefined;
    readonly trustAnnotations?: boolean | undefined;
    readonly checkArguments?: boolean | undefined;
    readonly era?: "legacy" | "modern" | undefined;
    readonly enabled: boolean;
    readonly lazy?: boolean | undefined;
    readonly shared?: boolean | undefined;
    readonly tools?: ToolFilter | undefined;
    readonly oauth?: OAuthSettings | false | undefined;
    readonly title?: string | undefined;
    readonly description?: string | undefined;
    readonly required?: boolean | undefined;
    readonly trust?: boolean | undefined;
    readonly autoApprove?: readonly string[] | undefined;
    readonly requires?: {
        readonly env?: readonly string[] | undefined;
        readonly args?: readonly string[] | undefined;
        readonly headers?: readonly string[] | undefined;
        readonly variables?: readonly string[] | undefined;
    } | undefined;
    readonly extra?: {
        readonly [field: string]: unknown;
    } | undefined;
}
declare const DIAGNOSTIC_CODES: {
    readonly ConfigReadError: {
        readonly severity: "error";
        readonly means: "The file cannot be read, or is not a regular file.";
    };
    readonly ConfigTooLargeError: {
        readonly severity: "error";
        readonly means: "The file is larger than the limit, or its project brings more than the limits; it was not all read.";
    };
    readonly ConfigEncodingError: {
        readonly severity: "error";
        readonly means: "The file is not text in UTF-8 or marked UTF-16.";
    };
    readonly ConfigSyntaxError: {
        readonly severity: "error";
        readonly means: "The file has a syntax error, or is nested more than 64 levels deep.";
    };
    readonly ConfigShapeError: {
        readonly severity: "error";
        readonly means: "The file, or the value that holds its servers, has the wrong type.";
    };
    readonly ServerConfigError: {
        readonly severity: "error";
        readonly means: "One entry cannot be used; the others can.";
    };
    readonly "invalid-field": {
        readonly severity: "warning";
        readonly means: "A field of the wrong type was left out (an error in `env`); an unreadable switch or tool filter switches the server off.";
    };
    readonly "duplicate-key": {
        readonly severity: "warning";
        readonly means: "A key is written twice; the last one counts.";
    };
    readonly "non-strict-json": {
        readonly severity: "warning";
        readonly means: "A comment or trailing comma in a file that its own host reads as strict JSON.";
    };
    readonly "forbidden-key": {
        readonly severity: "warning";
        readonly means: "A key called `__proto__` was left out.";
    };
    readonly "wrong-root-key": {
        readonly severity: "warning";
        readonly means: "Servers stand where their host does not read them: beside its key, or under another one.";
    };
    readonly "near-miss-field": {
        readonly severity: "warning";
        readonly means: "A field that is not read has a name like one that is.";
    };
    readonly "unknown-field": {
        readonly severity: "info";
        readonly means: "A field that its host does not know; kept in `extra`. A switch or a tool filter still works (a warning).";
    };
    readonly "unused-field": {
        readonly severity: "warning";
        readonly means: "A field that has no effect for this transport, or that another field overrides.";
    };
    readonly "legacy-field": {
        readonly severity: "warning";
        readonly means: "A field was read under its old name.";
    };
    readonly "legacy-shape": {
        readonly severity: "warning";
        readonly means: "An entry was read in its old form.";
    };
    readonly "deprecated-field": {
        readonly severity: "warning";
        readonly means: "Its host still reads this field, but advises against it.";
    };
    readonly "literal-secret": {
        readonly severity: "warning";
        readonly means: "A credential is written out; refer to a variable instead.";
    };
    readonly placeholder: {
        readonly severity: "warning";
        readonly means: "A placeholder, such as `YOUR_API_KEY`, stands where a value belongs.";
    };
    readonly "unresolved-variable": {
        readonly severity: "warning";
        readonly means: "A variable that is not set now and has no default.";
    };
    readonly "foreign-variable": {
        readonly severity: "warning";
        readonly means: "A reference in a syntax that the entry's own host does not know; it is passed on unchanged.";
    };
    readonly "command-substitution": {
        readonly severity: "warning";
        readonly means: "A value that is a command's output; no command is run.";
    };
    readonly "command-has-spaces": {
        readonly severity: "warning";
        readonly means: "`command` looks like a command line; it is never split.";
    };
    readonly "self-approval": {
        readonly severity: "warning";
        readonly means: "A field with which a file would approve itself; it is ignored.";
    };
    readonly "unsupported-address": {
        readonly severity: "warning";
        readonly means: "A URL that its host can reach, but Jackfield cannot.";
    };
    readonly "not-runnable": {
        readonly severity: "info";
        readonly means: "An entry that starts nothing: its host does so by itself, or it only switches a server.";
    };
    readonly "script-file": {
        readonly severity: "warning";
        readonly means: "A configuration that is a program. It is neither read nor run, so its servers are not known.";
    };
    readonly "unapplied-rules": {
        readonly severity: "warning";
        readonly means: "An administrator's file is there, so no server of its host is used; or rules of the user's beyond names are not applied.";
    };
    readonly "project-chosen": {
        readonly severity: "info";
        readonly means: "Which project's local servers are shown, if any, of a file with servers of projects.";
    };
    readonly "disabled-by-host": {
        readonly severity: "info";
        readonly means: "A switch outside of the server's entry, in a file of its host, switches the server off.";
    };
    readonly shadowed: {
        readonly severity: "info";
        readonly means: "A stronger entry has the same name, or reaches the same endpoint.";
    };
    readonly encoding: {
        readonly severity: "warning";
        readonly means: "The file is not UTF-8.";
    };
    readonly "missing-file": {
        readonly severity: "warning";
        readonly means: "A symbolic link is broken; the file counts as missing.";
    };
    readonly "empty-file": {
        readonly severity: "info";
        readonly means: "The file is empty.";
    };
    readonly "no-servers": {
        readonly severity: "info";
        readonly means: "The file has no key for servers.";
    };
    readonly "missing-metadata": {
        readonly severity: "warning";
        readonly means: "The host refuses the file without members that it lacks; its servers were read all the same.";
    };
    readonly "unread-profile": {
        readonly severity: "info";
        readonly means: "The file names a profile; the profile's own file is not read.";
    };
};
type DiagnosticCode = keyof typeof DIAGNOSTIC_CODES;
interface ConfigDiagnostic extends Diagnostic {
    readonly code: DiagnosticCode;
    readonly suggestion?: string | undefined;
}
interface ConfigProblem {
    readonly server?: string | undefined;
    readonly definedIn: DefinedIn;
    readonly error: McpError;
    readonly kind: DiagnosticCode;
}
type Environment = {
    readonly [name: string]: string | undefined;
};
type InheritEnv = boolean | readonly string[];
type JsonMap = {
    [key: string]: unknown;
};
interface InlineServerOptions extends ServerLimits {
    readonly enabled?: boolean | undefined;
    readonly disabled?: boolean | undefined;
    readonly lazy?: boolean | undefined;
    readonly shared?: boolean | undefined;
    readonly tools?: ToolFilter | undefined;
    readonly timeout?: number | undefined;
}
interface InlineStdioServer extends InlineServerOptions {
    readonly type?: "stdio" | undefined;
    readonly command: string;
    readonly args?: readonly string[] | undefined;
    readonly env?: {
        readonly [name: string]: string;
    } | undefined;
    readonly envFile?: string | undefined;
    readonly cwd?: string | undefined;
}
interface InlineRemoteServer extends InlineServerOptions {
    readonly type?: "http" | "streamable-http" | "streamableHttp" | "sse" | undefined;
    readonly url: string;
    readonly headers?: {
        readonly [name: string]: string;
    } | MakeHeaders | undefined;
    readonly oauth?: OAuthSettings | false | undefined;
    readonly env?: {
        readonly [name: string]: string;
    } | undefined;
    readonly envFile?: string | undefined;
}
interface InlineInProcessServer extends InlineServerOptions {
    readonly server: InProcessServerDefinition["server"];
}
type InlineServer = InlineStdioServer | InlineRemoteServer | InlineInProcessServer;
type ServerPattern = {
    readonly name: string;
} | {
    readonly argv: readonly string[];
} | {
    readonly url: string;
};
interface ServerBlock {
    readonly by: string;
    readonly reason: string;
}
interface ServerFilter {
    readonly name: string;
    block(definition: ServerDefinition): string | undefined;
}
interface ServerFilterOptions {
    readonly disabledServers?: readonly string[] | undefined;
    readonly enabledServers?: readonly string[] | undefined;
    readonly allow?: readonly ServerPattern[] | undefined;
    readonly deny?: readonly ServerPattern[] | undefined;
    readonly exa?: boolean | undefined;
    readonly browser?: boolean | (() => boolean) | undefined;
    readonly more?: readonly ServerFilter[] | undefined;
}
declare function isExaServer(server: ServerDefinition | ResolvedServer): boolean;
declare function exaApiKey(server: ServerDefinition | ResolvedServer): string | undefined;
type Admission = {
    readonly definition: ServerDefinition;
    readonly block?: undefined;
} | {
    readonly block: ServerBlock;
    readonly ownsName: boolean;
};
type AdmitServer = (definition: ServerDefinition) => Promise<Admission>;
type TrustFolder = (folder: string) => boolean | Promise<boolean>;
interface ServerAdmissionOptions {
    readonly ledger?: Pick<ApprovalLedger, "isApproved"> | undefined;
    readonly trust?: TrustFolder | undefined;
    readonly filters?: ServerFilterOptions | undefined;
}
interface ServerAdmission {
    readonly admit: AdmitServer;
    isAdmitted(definition: ServerDefinition): boolean;
}
declare function createServerAdmission(options?: ServerAdmissionOptions): ServerAdmission;
interface BlockedServer extends ServerBlock {
    readonly definition: ServerDefinition;
}
interface ShadowedDefinition {
    readonly definition: ServerDefinition;
    readonly by: DefinedIn;
}
interface MergedServers {
    readonly servers: readonly ServerDefinition[];
    readonly written: ReadonlyMap<string, WrittenServer>;
    readonly shadowed: readonly ShadowedDefinition[];
    readonly blocked: readonly BlockedServer[];
    readonly problems: readonly ConfigProblem[];
    readonly diagnostics: readonly ConfigDiagnostic[];
}
interface DiscoverServersOptions {
    readonly hosts?: readonly string[] | "all" | undefined;
    readonly files?: readonly string[] | undefined;
    readonly servers?: {
        readonly [name: string]: InlineServer;
    } | undefined;
    readonly cwd?: string | undefined;
    readonly base?: string | undefined;
    readonly home?: string | undefined;
    readonly env?: Environment | undefined;
    readonly maxFileBytes?: number | undefined;
    readonly platform?: NodeJS.Platform | undefined;
    readonly project?: boolean | undefined;
    readonly order?: readonly DefinitionScope[] | undefined;
    readonly remarks?: boolean | undefined;
    readonly admit?: AdmitServer | undefined;
}
interface DiscoveredServers extends MergedServers {
    readonly discoveryError?: McpError | undefined;
}
declare function discoverServers(options?: DiscoverServersOptions): Promise<DiscoveredServers>;
interface FoundServers {
    merge(admit?: AdmitServer): Promise<DiscoveredServers>;
}
declare function findServers(options?: Omit<DiscoverServersOptions, "admit">): Promise<FoundServers>;
type LoadServersOptions = Pick<DiscoverServersOptions, "files" | "servers" | "cwd" | "maxFileBytes" | "remarks">;
type LoadedServers = Pick<DiscoveredServers, "servers" | "problems" | "diagnostics">;
declare function loadServers(options?: LoadServersOptions): Promise<LoadedServers>;
declare function locate(definedIn: DefinedIn): Promise<SourceLocation>;
declare const HOST_IDS: readonly string[];
interface ParseHostFileOptions {
    readonly host: string;
    readonly file: string;
    readonly text?: string | undefined;
    readonly beneath?: readonly string[] | undefined;
    readonly cwd?: string | undefined;
    readonly env?: Environment | undefined;
    readonly maxFileBytes?: number | undefined;
    readonly platform?: NodeJS.Platform | undefined;
}
interface ParsedServer {
    readonly name: string;
    readonly written: WrittenServer;
    readonly definition: ServerDefinition;
    readonly options?: readonly LaunchOption[] | undefined;
}
interface LaunchOption {
    readonly id: string;
    readonly written: WrittenServer;
    readonly definition: ServerDefinition;
}
interface ParsedHostFile {
    readonly servers: readonly ParsedServer[];
    readonly diagnostics: readonly ConfigDiagnostic[];
}
declare function parseHostFile(options: ParseHostFileOptions): Promise<ParsedHostFile>;
type DescribedServer = {
    readonly [field: string]: unknown;
};
declare function describeServers(servers: readonly ParsedServer[]): {
    [name: string]: DescribedServer;
};
interface HostSurroundings {
    readonly platform: NodeJS.Platform;
    readonly env: Environment;
    readonly home: string;
    readonly cwd: string;
    readonly projectTop: string;
}
type SurroundingsOptions = {
    readonly [K in "cwd" | "home" | "env" | "platform"]?: HostSurroundings[K] | undefined;
};
interface ProjectFile {
    readonly host: string;
    readonly kind: string;
    readonly file: string;
    readonly holds: "servers" | "none" | "script";
}
declare function projectFiles(options?: SurroundingsOptions): Promise<readonly ProjectFile[]>;
interface CommandValueOptions {
    readonly timeoutMs?: number | undefined;
    readonly failureBackoffMs?: number | undefined;
}
type MissingVariable = "fail" | "empty" | "literal" | "host";
declare const MISSING_VARIABLE_PRESETS: {
    readonly sidecar: "empty";
    readonly "oh-my-pi": "literal";
};
interface ServerResolverOptions {
    readonly env?: Environment | undefined;
    readonly inheritEnv?: InheritEnv | undefined;
    readonly missingVariable?: MissingVariable | undefined;
    readonly projectVariables?: readonly string[] | undefined;
    readonly isAdmitted?: ((definition: ServerDefinition) => boolean) | undefined;
    readonly runCommands?: boolean | CommandValueOptions | undefined;
    readonly inputs?: {
        readonly [id: string]: string | readonly string[];
    } | undefined;
    readonly cwd?: string | undefined;
    readonly launchFolder?: string | undefined;
    readonly trust?: TrustFolder | undefined;
    readonly log?: Logger | undefined;
}
declare function createServerResolver(options?: ServerResolverOptions): ResolveServer;
type ServerChange = {
    readonly kind: "add";
    readonly name: string;
    readonly server: NewServer;
    readonly replaces?: boolean;
} | {
    readonly kind: "remove" | "enable" | "disable";
    readonly name: string;
};
interface ChangeServersOptions extends ServersFileOptions {
    readonly change: ServerChange;
}
interface ChangedServersFile {
    readonly host: string;
    readonly title: string;
    readonly file: string;
    readonly text: string;
    readonly entry: JsonMap | undefined;
    readonly isChanged: boolean;
    readonly isNew: boolean;
}
declare function changeServersFile(options: ChangeServersOptions): Promise<ChangedServersFile>;
interface ServersFileOptions extends SurroundingsOptions {
    readonly host?: string | undefined;
    readonly inProject?: boolean | undefined;
}
declare function ownFile(options?: SurroundingsOptions): string | undefined;
interface NewServer {
    readonly url?: string | undefined;
    readonly headers?: {
        readonly [name: string]: string;
    } | undefined;
    readonly program?: readonly string[] | undefined;
    readonly env?: {
        readonly [name: string]: string;
    } | undefined;
    readonly envReferences?: readonly string[] | undefined;
}
export { DIAGNOSTIC_CODES, HOST_IDS, MISSING_VARIABLE_PRESETS, approvalIntroduction, approvalQuestion, approvalRequest, approvalText, changeServersFile, createApprovalLedger, createServerAdmission, createServerResolver, definitionContent, describeServers, discoverServers, exaApiKey, fileStateStore, findServers, isExaServer, loadServers, locate, ownFile, parseHostFile, projectFiles, promptApprover, visibleText };
export type { Admission, AdmitServer, ApprovalLedger, BlockedServer, ChangeServersOptions, ChangedServersFile, CommandValueOptions, ConfigDiagnostic, ConfigProblem, DescribedServer, DiagnosticCode, DiscoverServersOptions, DiscoveredServers, Environment, FileStateStoreOptions, FoundServers, InheritEnv, InlineInProcessServer, InlineRemoteServer, InlineServer, InlineServerOptions, InlineStdioServer, LaunchOption, LaunchedPackage, LoadServersOptions, LoadedServers, MergedServers, MissingVariable, NewServer, ParseHostFileOptions, ParsedHostFile, ParsedServer, ProjectFile, PromptApproverOptions, ServerAdmission, ServerAdmissionOptions, ServerApprovalRequest, ServerApprover, ServerBlock, ServerChange, ServerFilter, ServerFilterOptions, ServerPattern, ServerResolverOptions, ServersFileOptions, ShadowedDefinition, TrustFolder, VariableKind, WrittenServer };
