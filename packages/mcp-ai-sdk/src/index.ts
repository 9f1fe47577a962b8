export { type FailedCall, isFailedCall, type ModelCallResult } from "@jackfield/mcp-tools";
export type { AiSdkSchema } from "./ai-sdk-schema.ts";
export { type AiSdkTool, type AiSdkToolSet, type AiSdkToolsOptions, aiSdkTools } from "./ai-sdk-tools.ts";
export type { AiSdkContentPart, AiSdkModelOutput } from "./model-output.ts";
