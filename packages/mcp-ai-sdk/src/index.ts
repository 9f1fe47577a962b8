export {
  type FailedCall,
  isFailedCall,
  type MediaSupport,
  type ModelCallResult,
  type SchemaProfile,
  type ToolApproval,
  type ToolMetadata as AiSdkToolMetadata,
} from "@jackfield/mcp-tools";
export {
  type AiSdkApprovalStatus,
  type AiSdkCallSettings,
  aiSdkCallSettings,
} from "./ai-sdk-call-settings.ts";
export { type AiSdkLiveTools, aiSdkLiveTools } from "./ai-sdk-live-tools.ts";
export type { AiSdkModel } from "./ai-sdk-models.ts";
export type { AiSdkSchema, AiSdkValidation } from "./ai-sdk-schema.ts";
export type {
  AiSdkExecuteOptions,
  AiSdkQuestionOptions,
  AiSdkTool,
  AiSdkToolSet,
} from "./ai-sdk-tool.ts";
export { aiSdkTools } from "./ai-sdk-tools.ts";
export type { AiSdkContentPart, AiSdkMajor, AiSdkModelOutput } from "./model-output.ts";
export {
  type AiSdkMessage,
  type AiSdkMessagePart,
  aiSdkPromptMessages,
  aiSdkResourceParts,
} from "./prompt-messages.ts";
export {
  type AiSdkStoredTool,
  type AiSdkStoredToolsOptions,
  aiSdkStoredTools,
} from "./stored-tools.ts";
export type { AiSdkToolsOptions } from "./tool-maker.ts";
export type { AiSdkProgress, AiSdkToolRun } from "./tool-run.ts";
