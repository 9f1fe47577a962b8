import { McpError, ToolDescriptor, Progress, JsonValue, ToolCallResult, ToolInputSchema, TextContent, McpErrorReport, InputOptions, CallOptions, ToolSource, JsonObject } from "@jackfield/mcp-core";
type ArgumentCheck = (args: unknown) => McpError | undefined;
declare function createArgumentCheck(tool: ToolDescriptor): ArgumentCheck;
interface FollowedCall<Result> {
    readonly result: Promise<Result>;
    progress(): AsyncGenerator<Progress, Result>;
}
declare function followCall<Result>(call: (onProgress: (progress: Progress) => void) => Promise<Result>): FollowedCall<Result>;
interface MediaPart {
    readonly kind: "image" | "audio";
    readonly data: string;
    readonly mimeType: string;
}
interface ResourceBlobPart {
    readonly kind: "resource-blob";
    readonly uri: string;
    readonly data: string;
    readonly mimeType: string;
}
type ResultPart = {
    readonly kind: "text";
    readonly text: string;
} | MediaPart | {
    readonly kind: "resource-text";
    readonly uri: string;
    readonly text: string;
} | ResourceBlobPart | {
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
type SchemaProfile = "openai" | "anthropic" | "gemini" | "none";
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
declare function isMedia(part: ResultPart): part is MediaPart | ResourceBlobPart;
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
interface ModelCallOptions extends InputOptions, Pick<CallOptions, "signal" | "onProgress" | "approved" | "timeoutMs" | "maxTotalMs"> {
    readonly onError?: OnCallError | undefined;
    readonly checkArguments?: ArgumentCheck | undefined;
}
declare function callForModel(source: ToolSource, tool: ToolDescriptor, input: unknown, { onError, checkArguments, ...options }?: ModelCallOptions): Promise<ModelCallResult>;
declare function isFailedCall(value: unknown): value is FailedCall;
interface ModelToolOptions extends Pick<ModelCallOptions, "onError"> {
    readonly schemaProfile?: SchemaProfile | undefined;
}
interface ModelTool {
    readonly descriptor: ToolDescriptor;
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
declare function partText(part: ResultPart): string;
declare function resultText({ parts, isError }: ClassifiedResult): string;
interface CallToApprove {
    readonly tool: ToolDescriptor;
    readonly args: JsonObject;
}
type ToolApproval = "off" | "annotations" | "always" | ((call: CallToApprove) => boolean | PromiseLike<boolean>);
type ApprovalNeed = boolean | ((args: JsonObject) => Promise<boolean>);
declare function approvalNeed(approval: ToolApproval | undefined, tool: ToolDescriptor): ApprovalNeed;
declare function checkApproval(approval: ToolApproval | undefined): void;
declare function changedSinceApproval({ server, originalName: tool, }: Pick<ToolDescriptor, "server" | "originalName">): McpError;
type ToolMetadata = {
    [key: string]: JsonValue;
};
declare function toolMetadata({ server, originalName, origin, definition }: ToolDescriptor): ToolMetadata;
interface ToolSelection {
    readonly include?: readonly string[] | undefined;
    readonly exclude?: readonly string[] | undefined;
}
declare function selectTools(tools: readonly ToolDescriptor[], selection?: ToolSelection): readonly ToolDescriptor[];
declare function checkSelection({ include, exclude }: ToolSelection): void;
export { MAX_ERROR_TEXT_BYTES, approvalNeed, callForModel, changedSinceApproval, checkApproval, checkProfile, checkSelection, classifyResult, createArgumentCheck, createModelTool, createOutputCheck, errorText, fitSchema, followCall, isFailedCall, isMedia, matchesPattern, partText, resultText, selectTools, toolMetadata };
export type { ApprovalNeed, ArgumentCheck, CallToApprove, ClassifiedResult, ErrorPlace, FailedCall, FitOptions, FittedSchema, FollowedCall, MediaPart, ModelCallOptions, ModelCallResult, ModelTool, ModelToolOptions, OnCallError, OutputCheck, ResourceBlobPart, ResultPart, SchemaChange, SchemaProfile, ToolApproval, ToolMetadata, ToolSelection };
