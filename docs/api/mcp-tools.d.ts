import { McpError, ToolDescriptor, Progress, JsonValue, ToolCallResult, ToolInputSchema, TextContent, McpErrorReport, InputOptions, CallOptions, ToolSource, JsonObject } from "@jackfield/mcp-core";
type ArgumentCheck = (args: unknown) => McpError | undefined;
declare function createArgumentCheck(tool: ToolDescriptor): ArgumentCheck;
interface FollowedCall<Result> {
    readonly result: Promise<Result>;
    progress(): AsyncGenerator<Progress, Result>;
}
declare function followCall<Result>(call: (onProgress: (progress: Progress) => void) => Promise<Result>): FollowedCall<Result>;
type MediaKind = "image" | "audio" | "video" | "document";
interface MediaPart {
    readonly kind: "media";
    readonly media: MediaKind;
    readonly mimeType: string;
    readonly data: string;
    readonly byteLength: number;
    readonly uri?: string | undefined;
}
interface UnshownPart {
    readonly kind: "unshown";
    readonly what: "image" | "audio" | "resource";
    readonly mimeType?: string | undefined;
    readonly byteLength?: number | undefined;
    readonly uri?: string | undefined;
}
type ResultPart = {
    readonly kind: "text";
    readonly text: string;
} | {
    readonly kind: "resource-text";
    readonly uri: string;
    readonly text: string;
} | MediaPart | UnshownPart | {
    readonly kind: "link";
    readonly uri: string;
    readonly name: string;
    readonly description?: string | undefined;
    readonly mimeType?: string | undefined;
} | {
    readonly kind: "data";
    readonly value: JsonValue;
};
interface ClassifiedResult {
    readonly parts: readonly ResultPart[];
    readonly isError: boolean;
    readonly isForUser: boolean;
}
declare function classifyResult(result: ToolCallResult): ClassifiedResult;
declare const MAX_ERROR_TEXT_BYTES = 2048;
interface ErrorPlace {
    readonly server?: string | undefined;
    readonly tool?: string | undefined;
}
declare function errorText(error: unknown, place?: ErrorPlace): string;
interface SchemaChange {
    readonly pointer: string;
    readonly kind: "inlined" | "rewritten" | "removed" | "wrapped" | "added";
    readonly keyword?: string | undefined;
    readonly message: string;
}
type SchemaProfile = "auto" | "universal" | "openai" | "anthropic" | "gemini" | "vertex" | "kimi" | "xai" | "strict" | "none" | {
    readonly keywords: readonly string[];
};
type KnownProfile = Exclude<SchemaProfile, "auto">;
declare function checkProfile(profile: unknown): void;
interface FitOptions {
    readonly profile?: SchemaProfile | undefined;
}
interface FittedSchema {
    readonly schema: ToolInputSchema;
    readonly changes: readonly SchemaChange[];
    readonly isWrapped: boolean;
    unwrap(input: unknown): unknown;
}
declare function fitSchema(schema: unknown, { profile }?: FitOptions): FittedSchema;
declare function meantTool(name: string, tools: readonly ToolDescriptor[]): ToolDescriptor | undefined;
interface FailedCall {
    readonly content: [
        TextContent
    ];
    readonly isError: true;
    readonly mcpError: McpErrorReport;
}
type ModelCallResult = (ToolCallResult & {
    readonly mcpError?: undefined;
}) | FailedCall;
type OnCallError = (error: McpError, tool: ToolDescriptor) => string | undefined;
interface ModelCallOptions extends InputOptions, Pick<CallOptions, "signal" | "onProgress" | "approved" | "timeoutMs" | "maxTotalMs" | "output"> {
    readonly onError?: OnCallError | undefined;
    readonly checkArguments?: ArgumentCheck | undefined;
}
declare function callForModel(source: ToolSource, tool: ToolDescriptor, input: unknown, { onError, checkArguments, ...options }?: ModelCallOptions): Promise<ModelCallResult>;
declare function isFailedCall(value: unknown): value is FailedCall;
declare function failedCall(error: unknown, tool?: ToolDescriptor, onError?: OnCallError): FailedCall;
type MediaSupport = {
    readonly [kind in MediaKind]?: boolean | readonly string[] | undefined;
} & {
    readonly largestImage?: {
        readonly bytes: number;
        readonly pixels: number;
    } | undefined;
};
declare const CLAUDE_MEDIA: MediaSupport;
type ModelContent = {
    readonly kind: "text";
    readonly text: string;
} | {
    readonly kind: "data";
    readonly value: JsonValue;
} | {
    readonly kind: "parts";
    readonly parts: readonly ({
        readonly kind: "text";
        readonly text: string;
    } | MediaPart)[];
};
declare function modelContent(classified: ClassifiedResult, media: MediaSupport): ModelContent;
declare function partText(part: ResultPart, media?: MediaSupport): string;
declare function resultText({ parts, isError, isForUser }: ClassifiedResult, media?: MediaSupport): string;
declare function checkMedia(media: unknown): void;
interface ModelToolOptions extends Pick<ModelCallOptions, "onError"> {
    readonly schemaProfile?: SchemaProfile | undefined;
}
interface ModelTool {
    readonly descriptor: ToolDescriptor;
    readonly description: string;
    readonly fitted: FittedSchema;
    check(input: unknown): McpError | undefined;
    argumentsOf(input: unknown): JsonObject;
    call(input: unknown, options?: ModelCallOptions): Promise<ModelCallResult>;
    refuse(error: McpError): ModelCallResult;
}
declare function createModelTool(source: ToolSource, descriptor: ToolDescriptor, options?: ModelToolOptions): ModelTool;
declare function matchesPattern(pattern: string, name: string): boolean;
type OutputCheck = (result: ToolCallResult) => McpError | undefined;
declare function createOutputCheck(tool: ToolDescriptor): OutputCheck;
declare function shownText(text: string): string;
declare function shownValue(value: JsonValue): JsonValue;
interface CallToApprove {
    readonly tool: ToolDescriptor;
    readonly args: JsonObject;
}
type ToolApproval = "off" | "annotations" | "always" | ((call: CallToApprove) => boolean | PromiseLike<boolean>);
type ApprovalNeed = boolean | ((args: JsonObject) => Promise<boolean>);
declare function approvalNeed(approval: ToolApproval | undefined, tool: ToolDescriptor): ApprovalNeed;
declare function checkApproval(approval: ToolApproval | undefined): void;
declare function changedSinceApproval({ server, originalName: tool, }: Pick<ToolDescriptor, "server" | "originalName">): McpError;
interface ToolSelection {
    readonly include?: readonly string[] | undefined;
    readonly exclude?: readonly string[] | undefined;
}
declare function selectTools(tools: readonly ToolDescriptor[], selection?: ToolSelection): readonly ToolDescriptor[];
declare function checkSelection({ include, exclude }: ToolSelection): void;
interface FindingOptions extends ToolSelection {
    readonly search?: "auto" | "always" | "off" | undefined;
    readonly always?: readonly string[] | undefined;
    readonly threshold?: number | undefined;
    readonly namesWithin?: number | undefined;
}
declare const MOST_FOUND = 5;
interface FinderTool {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: ToolInputSchema;
}
interface ToolFinder {
    readonly isSearching: boolean;
    readonly offered: readonly ToolDescriptor[];
    readonly hidden: readonly ToolDescriptor[];
    readonly searchTool: FinderTool;
    readonly describeTool: FinderTool;
    readonly callTool: FinderTool;
    search(query: string): readonly ToolDescriptor[];
    describe(name: string): string;
    find(name: string): ToolDescriptor;
}
declare function createToolFinder(source: ToolSource, options?: FindingOptions, suffix?: string): ToolFinder;
declare function foundText(found: readonly Pick<ToolDescriptor, "name" | "description">[], next?: string): string;
declare function namesFound(text: string): readonly string[];
declare function textIn(input: unknown, member: string): string;
declare function callIn(input: unknown): {
    readonly name: string;
    readonly args: unknown;
};
declare function textResult(text: string): ToolCallResult;
interface ToolFunctionTypes {
    readonly [name: string]: {
        readonly input: object;
        readonly output: unknown;
    };
}
type ToolFunctions<Types = ToolFunctionTypes> = {
    readonly [Name in keyof Types]: (input: Types[Name] extends {
        readonly input: infer Input;
    } ? Input : JsonObject, options?: Pick<CallOptions, "signal" | "timeoutMs" | "onProgress">) => Promise<Types[Name] extends {
        readonly output: infer Output;
    } ? Output : JsonValue>;
};
declare function toolFunctions<Types = ToolFunctionTypes>(source: ToolSource, selection?: ToolSelection): ToolFunctions<Types>;
declare function resultData(result: ToolCallResult): JsonValue;
type ToolMetadata = {
    [key: string]: JsonValue;
};
declare function toolMetadata(tool: ToolDescriptor): ToolMetadata;
declare function toolTitle({ definition: { title, annotations } }: ToolDescriptor): string | undefined;
export { CLAUDE_MEDIA, MAX_ERROR_TEXT_BYTES, MOST_FOUND, approvalNeed, callForModel, callIn, changedSinceApproval, checkApproval, checkMedia, checkProfile, checkSelection, classifyResult, createArgumentCheck, createModelTool, createOutputCheck, createToolFinder, errorText, failedCall, fitSchema, followCall, foundText, isFailedCall, matchesPattern, meantTool, modelContent, namesFound, partText, resultData, resultText, selectTools, shownText, shownValue, textIn, textResult, toolFunctions, toolMetadata, toolTitle };
export type { ApprovalNeed, ArgumentCheck, CallToApprove, ClassifiedResult, ErrorPlace, FailedCall, FinderTool, FindingOptions, FitOptions, FittedSchema, FollowedCall, KnownProfile, MediaKind, MediaPart, MediaSupport, ModelCallOptions, ModelCallResult, ModelContent, ModelTool, ModelToolOptions, OnCallError, OutputCheck, ResultPart, SchemaChange, SchemaProfile, ToolApproval, ToolFinder, ToolFunctionTypes, ToolFunctions, ToolMetadata, ToolSelection, UnshownPart };
