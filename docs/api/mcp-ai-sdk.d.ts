import { ModelCallResult, ToolMetadata, FindingOptions, ModelToolOptions, MediaSupport, ToolApproval } from "@jackfield/mcp-tools";
export { ToolMetadata as AiSdkToolMetadata, FailedCall, MediaSupport, ModelCallResult, SchemaProfile, ToolApproval, isFailedCall } from "@jackfield/mcp-tools";
import { ToolInputSchema, JsonValue, Progress, StateStore, ToolSource, GetPromptResult, ReadResourceResult } from "@jackfield/mcp-core";
type AiSdkValidation = {
    readonly success: true;
    readonly value: unknown;
} | {
    readonly success: false;
    readonly error: Error;
};
interface AiSdkSchema {
    readonly jsonSchema: ToolInputSchema;
    validate(value: unknown): AiSdkValidation;
    readonly "~standard": {
        readonly version: 1;
        readonly vendor: "jackfield";
        readonly validate: (value: unknown) => {
            readonly value: unknown;
        } | {
            readonly issues: readonly {
                readonly message: string;
            }[];
        };
        readonly jsonSchema: {
            readonly input: () => ToolInputSchema;
            readonly output: () => ToolInputSchema;
        };
    };
}
type AiSdkMajor = 6 | 7;
type AiSdkContentPart = {
    type: "text";
    text: string;
} | {
    type: "image-data";
    mediaType: string;
    data: string;
} | {
    type: "file-data";
    mediaType: string;
    data: string;
};
type AiSdkModelOutput = {
    type: "text";
    value: string;
} | {
    type: "json";
    value: JsonValue;
} | {
    type: "error-text";
    value: string;
} | {
    type: "content";
    value: AiSdkContentPart[];
};
interface AiSdkProgress {
    readonly content: [
        {
            readonly type: "text";
            readonly text: string;
        }
    ];
    readonly progress: Progress;
}
interface AiSdkToolRun extends PromiseLike<ModelCallResult>, AsyncIterable<AiSdkProgress | ModelCallResult> {
}
interface AiSdkExecuteOptions {
    readonly toolCallId: string;
    readonly abortSignal?: AbortSignal | undefined;
    readonly messages?: unknown;
}
interface AiSdkQuestionOptions {
    readonly toolCallId: string;
    readonly messages?: unknown;
}
interface AiSdkTool {
    readonly type: "dynamic";
    readonly description: string;
    readonly title?: string;
    readonly strict?: boolean;
    readonly inputSchema: AiSdkSchema;
    readonly metadata: ToolMetadata;
    readonly deferLoading?: boolean;
    readonly needsApproval?: (input: unknown, call: AiSdkQuestionOptions) => Promise<boolean>;
    execute(input: unknown, options: AiSdkExecuteOptions): AiSdkToolRun;
    toModelOutput(options: {
        readonly output: unknown;
    }): AiSdkModelOutput;
}
type AiSdkToolSet = Record<string, AiSdkTool>;
type AiSdkModel = string | {
    readonly provider: string;
    readonly modelId: string;
};
interface AiSdkToolsOptions extends FindingOptions, ModelToolOptions {
    readonly messages?: readonly unknown[] | undefined;
    readonly model?: AiSdkModel | undefined;
    readonly media?: MediaSupport | "auto" | undefined;
    readonly results?: "content" | "data" | undefined;
    readonly throwErrors?: boolean | undefined;
    readonly approval?: ToolApproval | undefined;
    readonly approvalStore?: Pick<StateStore, "get" | "set" | "delete"> | undefined;
    readonly principal?: string | undefined;
    readonly sdk?: AiSdkMajor | undefined;
}
type AiSdkApprovalStatus = "user-approval" | "not-applicable";
interface AiSdkCallSettings {
    readonly tools: AiSdkToolSet;
    readonly toolOrder: string[];
    readonly toolApproval: Record<string, (input: unknown, call: AiSdkQuestionOptions) => Promise<AiSdkApprovalStatus>>;
    readonly repairToolCall: <Call extends {
        readonly toolName: string;
    }>(failed: {
        readonly toolCall: Call;
        readonly error: unknown;
    }) => Promise<Call | null>;
}
declare function aiSdkCallSettings(source: ToolSource, options?: AiSdkToolsOptions): AiSdkCallSettings;
interface AiSdkStep {
    readonly model?: unknown;
    readonly messages?: unknown;
}
interface AiSdkLiveTools {
    readonly tools: AiSdkToolSet;
    prepareStep(step?: AiSdkStep): undefined;
}
declare function aiSdkLiveTools(source: ToolSource, options?: AiSdkToolsOptions): AiSdkLiveTools;
declare function aiSdkTools(source: ToolSource, options?: AiSdkToolsOptions): AiSdkToolSet;
type AiSdkMessagePart = {
    type: "text";
    text: string;
} | {
    type: "file";
    data: string;
    mediaType: string;
};
type AiSdkMessage = {
    role: "user";
    content: AiSdkMessagePart[];
} | {
    role: "assistant";
    content: AiSdkMessagePart[];
};
declare function aiSdkPromptMessages(prompt: GetPromptResult): AiSdkMessage[];
declare function aiSdkResourceParts(resource: ReadResourceResult): AiSdkMessagePart[];
interface AiSdkStoredToolsOptions {
    readonly model?: AiSdkModel | undefined;
    readonly media?: MediaSupport | "auto" | undefined;
    readonly sdk?: AiSdkMajor | undefined;
}
interface AiSdkStoredTool {
    readonly type: "dynamic";
    readonly inputSchema: AiSdkTool["inputSchema"];
    toModelOutput(options: {
        readonly output: unknown;
    }): AiSdkModelOutput;
}
declare function aiSdkStoredTools<Tools extends object>(messages: readonly unknown[], tools: Tools, { model, media, sdk }?: AiSdkStoredToolsOptions): Tools & Record<string, AiSdkStoredTool>;
export { aiSdkCallSettings, aiSdkLiveTools, aiSdkPromptMessages, aiSdkResourceParts, aiSdkStoredTools, aiSdkTools };
export type { AiSdkApprovalStatus, AiSdkCallSettings, AiSdkContentPart, AiSdkExecuteOptions, AiSdkLiveTools, AiSdkMajor, AiSdkMessage, AiSdkMessagePart, AiSdkModel, AiSdkModelOutput, AiSdkProgress, AiSdkQuestionOptions, AiSdkSchema, AiSdkStoredTool, AiSdkStoredToolsOptions, AiSdkTool, AiSdkToolRun, AiSdkToolSet, AiSdkToolsOptions, AiSdkValidation };
