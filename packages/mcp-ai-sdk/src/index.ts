export {
  type FailedCall,
  isFailedCall,
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
export type { AiSdkSchema, AiSdkValidation } from "./ai-sdk-schema.ts";
export {
  type AiSdkExecuteOptions,
  type AiSdkQuestionOptions,
  type AiSdkTool,
  type AiSdkToolSet,
  type AiSdkToolsOptions,
  aiSdkTools,
} from "./ai-sdk-tools.ts";
export type { AiSdkContentPart, AiSdkMajor, AiSdkModelOutput } from "./model-output.ts";
export {
  type AiSdkMessage,
  type AiSdkMessagePart,
  aiSdkPromptMessages,
  aiSdkResourceParts,
} from "./prompt-messages.ts";
export type { AiSdkProgress, AiSdkToolRun } from "./tool-run.ts";
