import { ToolDescriptor, CallMiddleware, ToolListPolicy, StateStore, Logger, ToolCallResult, ReadResourceResult, GetPromptResult, ToolDefinition, Implementation, ServerSnapshot, ResourceContents } from "@jackfield/mcp-core";
type ApprovalRule = boolean | "always" | "never" | "annotations" | ApprovalMap | ApprovalLists | ApprovalQuestion;
interface RulesByServer {
    readonly servers: Readonly<Record<string, ApprovalRule>>;
    readonly others?: ApprovalRule | undefined;
}
interface ApprovalMap {
    readonly [tool: string]: boolean | "always" | "never";
}
interface ApprovalLists {
    readonly always?: {
        readonly toolNames: readonly string[];
    } | undefined;
    readonly never?: {
        readonly toolNames: readonly string[];
    } | undefined;
}
type ApprovalQuestion = (call: {
    readonly tool: ToolDescriptor;
    readonly args: Readonly<Record<string, unknown>>;
}) => boolean | Promise<boolean>;
type ApprovalAnswer = "once" | "run" | "forever" | "refuse";
interface ApprovalRequest {
    readonly tool: ToolDescriptor;
    readonly args: Readonly<Record<string, unknown>>;
    readonly signal: AbortSignal | undefined;
}
interface CallApprovalOptions {
    readonly calls?: ApprovalRule | RulesByServer | undefined;
    readonly ask?: ((request: ApprovalRequest) => Promise<ApprovalAnswer>) | undefined;
    readonly store?: StateStore | undefined;
    readonly log?: Logger | undefined;
}
interface CallApproval {
    readonly middleware: CallMiddleware;
    readonly policy: ToolListPolicy;
}
declare function callApproval(options?: CallApprovalOptions): CallApproval;
declare function cleanText(text: string): string;
declare function cleanJson<T>(value: T): T;
declare function cleanResults(): CallMiddleware;
declare function cleanResult(result: ToolCallResult): ToolCallResult;
declare function cleanTools(): ToolListPolicy;
type HiddenKind = "tag" | "zero-width" | "joiner" | "bidirectional" | "variation-selector" | "soft-hyphen" | "filler" | "invisible-operator" | "annotation";
interface HiddenCharacter {
    readonly kind: HiddenKind;
    readonly codePoint: string;
    readonly index: number;
}
declare function findHiddenCharacters(text: string): readonly HiddenCharacter[];
type InjectionSignal = keyof typeof SIGNALS | "hidden-text";
interface SignalMatch {
    readonly signal: InjectionSignal;
    readonly index: number;
    readonly length: number;
}
declare const SIGNALS: {
    readonly "ignore-previous": {
        readonly needs: readonly [
            "ignore",
            "overlook",
            "follow",
            "attention"
        ];
        readonly parts: readonly [
            "\\b(?:ignore|overlook|(?:do not|don't|stop|no longer) follow(?:ing)?|pay no attention to) (?:(?:all|any|every|each|the|of|these|those|your|my|our|its|other|and|system|developer|user|safety) ){0,5}(?:(?:previous|prior|above|earlier|preceding|foregoing|former) (?:(?:all|any|every|each|the|of|these|those|your|my|our|its|other|and|system|developer|user|safety) ){0,5}(?:instructions?|context|rules|prompts?|messages|directions|directives|guidelines|guidance|orders|commands|restrictions)\\b",
            "|(?:instructions?|context|rules|prompts?|messages|directions|directives|guidelines|guidance|orders|commands|restrictions) (?:[a-z]+ ){0,4}(?:before|above|earlier|previously|so far)\\b)"
        ];
    };
    readonly "disregard-previous": {
        readonly needs: readonly [
            "disregard",
            "forget",
            "override"
        ];
        readonly parts: readonly [
            "\\b(?:disregard (?:(?:all|any|every|each|the|of|these|those|your|my|our|its|other|and|system|developer|user|safety) ){0,5}(?:previous|prior|above)\\b",
            "|(?:disregard|forget|override) (?:(?:all|any|every|each|the|of|these|those|your|my|our|its|other|and|system|developer|user|safety) ){0,5}(?:everything (?:(?:previous|prior|above|earlier|preceding|foregoing|former)|before)|(?:previous|prior|above|earlier|preceding|foregoing|former) (?:(?:all|any|every|each|the|of|these|those|your|my|our|its|other|and|system|developer|user|safety) ){0,5}(?:(?:instructions?|context|rules|prompts?|messages|directions|directives|guidelines|guidance|orders|commands|restrictions)|text|task|content|conversation|everything|policy|policies))\\b)"
        ];
    };
    readonly "fake-system-role": {
        readonly needs: readonly [
            "system",
            "developer"
        ];
        readonly parts: readonly [
            "\\b(?:system|developer) ?: ?(?:you|ignore|disregard|forget|override|new instructions)\\b"
        ];
    };
    readonly "chatml-system-injection": {
        readonly needs: readonly [
            "<|",
            "<start_of_turn>",
            "<<sys>>",
            "inst]"
        ];
        readonly parts: readonly [
            "(?<!`)(?:<\\| ?im_start ?\\|> ?(?:system|user|assistant|developer|tool)|<\\| ?(?:system|start_header_id) ?\\|>",
            "|<start_of_turn> ?(?:system|user|model)|<<sys>>|\\[/?inst\\])"
        ];
    };
    readonly "bracketed-system": {
        readonly needs: readonly [
            "system"
        ];
        readonly parts: readonly [
            "(?<!\\d:\\d\\d[^\\n]{0,40})\\[ ?system(?: message| prompt| override)? ?\\](?! ?(?:\\[|(?:info|warn|error|debug|trace)\\b))"
        ];
    };
    readonly "new-instructions": {
        readonly needs: readonly [
            "instruction"
        ];
        readonly parts: readonly [
            "\\b(?:new|updated|revised) (?:[a-z]+ )?instructions?(?: for (?:the )?(?:ai|assistant|model|agent))? ?[:.]"
        ];
    };
    readonly "fake-authorization": {
        readonly needs: readonly [
            "authori",
            "granted",
            "allowed",
            "approved",
            "permitted",
            "given"
        ];
        readonly parts: readonly [
            "\\b(?:the|your) (?:user|owner|administrator|admin|operator|management) (?:has|have|had) (?:[a-z]+ ){0,2}",
            "(?:authori[sz]ed|granted|allowed|approved|permitted|given) (?:[a-z]+ ){0,2}you\\b"
        ];
    };
    readonly "mode-switch": {
        readonly needs: readonly [
            "mode"
        ];
        readonly parts: readonly [
            "\\byou(?: are|'re) now (?:in|an?|the|running) (?!(?:[a-z]+(?: |-)){0,2}(?:insert|normal|visual|command|edit|dark|light|flight",
            "|airplane|offline|online|safe|recovery|only|run|demo|test|preview|screen)(?: |-)mode)(?:[a-z-]+ ){0,4}(?:[a-z]+[_-])?mode\\b",
            "|\\b(?<!\\bto )(?:enter|activate|enable|switch (?:in)?to) (?:[a-z]+ ){0,2}",
            "(?:jailbreak|dan|god|unrestricted|unfiltered|uncensored)(?: |_|-)mode\\b"
        ];
    };
    readonly secrecy: {
        readonly needs: readonly [
            "tell",
            "inform",
            "alert",
            "notify",
            "mention",
            "reveal",
            "disclos",
            "show",
            "know"
        ];
        readonly parts: readonly [
            "\\b(?:do not|don't|never|without|no need to) (?:[a-z]+ ){0,2}(?:",
            "(?:tell|telling|inform|informing|alert|alerting|notify|notifying) (?:the |your |any )?(?:user|human|operator)\\b",
            "|mention(?:ing)? (?:[a-z]+ ){0,8}to (?:the |your |any )?(?:users?|humans?|operator|owner|customer|developer)\\b",
            "|(?:reveal|disclose|show)(?:ing)? (?:this|that|it|these|them|any of this|anything) (?:[a-z]+ ){0,2}to (?:the |your |any )?(?:users?|humans?|operator|owner|customer|developer)\\b",
            "|let(?:ting)? (?:the |your |any )?(?:users?|humans?|operator|owner|customer|developer)\\b know)"
        ];
    };
    readonly "tool-directive": {
        readonly needs: readonly [
            "tool",
            "call",
            "important",
            "<system",
            "</system"
        ];
        readonly parts: readonly [
            "\\b(?:before|instead of|when|whenever|after) (?:you )?(?:using|calling|use|call|invoking|invoke|running) ",
            "(?:[a-z_]+ ){0,3}tools?,? (?:again )?(?:[a-z]+,? ){0,4}(?:(?:must|always|have to)\\b|(?:read|pass|include|send) (?:[a-z]+ ){0,4}(?:~|/|contents?\\b))",
            "|\\b(?:always|must|has to|have to)(?: be)? call(?:ed)? (?:[a-z]+ ){0,3}(?:first|before (?:any|every|all) other)\\b",
            "|<important>|</?system_?(?:prompt|message|note)?>"
        ];
    };
    readonly exfiltration: {
        readonly needs: readonly [
            "api",
            "secret",
            "password",
            "credential",
            "token",
            "private",
            "env",
            "id_rsa",
            "prompt",
            "conversation",
            "history"
        ];
        readonly parts: readonly [
            "\\b(?<!\\b(?:not|never) )(?:send|post|upload|forward|exfiltrate|append|include|pass|leak|email) ",
            `(?=(?<named>(?:[a-z0-9$'~/_-]+(?:\\.[a-z0-9]+)*,? ){0,8}?${string}))\\k<named>[\\s\\S]{0,120}?${string}`
        ];
    };
};
type ScannedPlace = "result" | "error" | "description" | "schema" | "instructions" | "resource" | "prompt";
interface InjectionFinding {
    readonly server: string;
    readonly tool?: string | undefined;
    readonly where: ScannedPlace;
    readonly signals: readonly (InjectionSignal | "shadowing")[];
    readonly matches: readonly FoundMatch[];
}
type FoundMatch = SignalMatch | {
    readonly signal: "shadowing";
    readonly index: number;
    readonly length: number;
};
type ScannedText = Pick<InjectionFinding, "server" | "tool" | "where">;
interface ScanOptions {
    readonly found: (finding: InjectionFinding) => void;
    readonly maxScannedChars?: number | undefined;
}
interface ResultLimits {
    readonly maxResultChars?: number | undefined;
    readonly maxBinaryBytes?: number | undefined;
}
interface Provenance {
    readonly server: string;
    readonly tool?: string | undefined;
}
declare function encloseUntrusted(text: string, { server, tool }: Provenance): string;
declare const untrustedOutputNote: string;
interface ResultStore {
    save(text: string, provenance: Provenance): Promise<string | undefined>;
}
interface ResultPage {
    readonly text: string;
    readonly provenance: Provenance;
    readonly nextOffset: number | undefined;
}
interface ResultDirectory extends ResultStore {
    read(place: string, offset?: number, length?: number): Promise<ResultPage>;
}
declare function resultDirectory(directory: string): ResultDirectory;
interface LimitResultsOptions extends ResultLimits {
    readonly servers?: Readonly<Record<string, ResultLimits>> | undefined;
    readonly store?: ResultStore | undefined;
}
declare function limitResults(options?: LimitResultsOptions): CallMiddleware;
interface ContentGuardOptions {
    readonly limits?: Omit<LimitResultsOptions, "store"> | false | undefined;
    readonly cleanResults?: boolean | undefined;
    readonly mark?: boolean | undefined;
    readonly found?: ((finding: InjectionFinding) => void) | undefined;
}
interface ContentGuards {
    resource(resource: ReadResourceResult, server: string): ReadResourceResult;
    prompt(prompt: GetPromptResult, server: string): GetPromptResult;
    instructions(text: string, server: string): string;
}
declare function createContentGuards({ limits, cleanResults, mark, found, }?: ContentGuardOptions): ContentGuards;
interface ToolPin {
    readonly server: string;
    readonly digest: string;
    readonly tool: PinnedTool;
}
type PinState = "new" | "approved" | "changed";
declare const PINNED_FIELDS: readonly [
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations"
];
type PinnedTool = Pick<ToolDefinition, (typeof PINNED_FIELDS)[number]>;
interface ToolChange {
    readonly path: string;
    readonly before?: string | undefined;
    readonly after?: string | undefined;
}
declare function formatChanges(changes: readonly ToolChange[], text: (value: string) => string): string;
interface McpLock {
    readonly servers: ReadonlyMap<string, LockedServer>;
}
interface LockedServer {
    readonly version?: LockedVersion | undefined;
    readonly tools: ReadonlyMap<string, ToolPin>;
}
type LockedVersion = Pick<Implementation, "name" | "version">;
interface LockableServer extends Pick<ServerSnapshot, "name" | "toolsFrom"> {
    readonly serverInfo?: Implementation | undefined;
}
interface LockableTools {
    readonly servers: readonly LockableServer[];
    readonly tools: readonly ToolDescriptor[];
}
declare function lockOf({ servers, tools }: LockableTools): McpLock;
declare function formatLock({ servers }: McpLock): string;
interface ParseLockOptions {
    readonly file?: string | undefined;
}
declare function parseLock(text: string, { file }?: ParseLockOptions): McpLock;
interface LockComparison {
    readonly isSame: boolean;
    readonly servers: readonly ServerDrift[];
}
interface ServerDrift {
    readonly server: string;
    readonly state: "changed" | "added" | "removed" | "unlisted";
    readonly version?: {
        readonly before: LockedVersion;
        readonly after: LockedVersion;
    } | undefined;
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly ToolDrift[];
}
interface ToolDrift {
    readonly tool: string;
    readonly changes: readonly ToolChange[];
}
declare function compareWithLock(lock: McpLock, now: LockableTools): LockComparison;
declare function formatComparison({ servers }: LockComparison): string;
declare function markResource(given: ResourceContents, provenance: Provenance): ResourceContents;
declare function markResults(): CallMiddleware;
declare function markResult(result: ToolCallResult, provenance: Provenance): ToolCallResult;
declare function markPrompt(prompt: GetPromptResult, provenance: Provenance): GetPromptResult;
interface PinFinding {
    readonly server: string;
    readonly tool: string;
    readonly state: Exclude<PinState, "approved">;
    readonly isWithheld: boolean;
    readonly changes: readonly ToolChange[];
}
interface ToolPinsOptions {
    readonly policy?: PinPolicy | undefined;
    readonly store?: StateStore | undefined;
    readonly lock?: McpLock | undefined;
    readonly found?: ((finding: PinFinding) => void) | undefined;
    readonly refresh?: ((server: string) => Promise<void>) | undefined;
    readonly log?: Logger | undefined;
}
interface ToolPins {
    readonly policy: ToolListPolicy;
    readonly middleware: CallMiddleware;
    pending(): readonly ToolDescriptor[];
    approve(server: string, tool?: string): Promise<number>;
    saved(): Promise<void>;
}
declare function openToolPins(options?: ToolPinsOptions): Promise<ToolPins>;
type PinPolicy = (typeof PIN_POLICIES)[number];
declare const PIN_POLICIES: readonly [
    "off",
    "warn",
    "block-changed",
    "require-approval"
];
declare function scanResults(options: ScanOptions): CallMiddleware;
declare function scanText(text: string, origin: ScannedText, { found, maxScannedChars }: ScanOptions): void;
declare function scanTools(options: ScanOptions): ToolListPolicy;
declare function limitPrompt(prompt: GetPromptResult, limits?: ResultLimits): GetPromptResult;
declare function limitResource(resource: ReadResourceResult, limits?: ResultLimits): ReadResourceResult;
export { callApproval, cleanJson, cleanResult, cleanResults, cleanText, cleanTools, compareWithLock, createContentGuards, encloseUntrusted, findHiddenCharacters, formatChanges, formatComparison, formatLock, limitPrompt, limitResource, limitResults, lockOf, markPrompt, markResource, markResult, markResults, openToolPins, parseLock, resultDirectory, scanResults, scanText, scanTools, untrustedOutputNote };
export type { ApprovalAnswer, ApprovalLists, ApprovalMap, ApprovalQuestion, ApprovalRequest, ApprovalRule, CallApproval, CallApprovalOptions, ContentGuardOptions, ContentGuards, FoundMatch, HiddenCharacter, HiddenKind, InjectionFinding, InjectionSignal, LimitResultsOptions, LockComparison, LockableServer, LockableTools, LockedServer, LockedVersion, McpLock, ParseLockOptions, PinFinding, PinPolicy, PinnedTool, Provenance, ResultDirectory, ResultLimits, ResultPage, ResultStore, RulesByServer, ScanOptions, ScannedPlace, ScannedText, ServerDrift, ToolChange, ToolDrift, ToolPin, ToolPins, ToolPinsOptions };
