export { type ArgumentCheck, createArgumentCheck } from "./argument-check.ts";
export { type FollowedCall, followCall } from "./call-progress.ts";
export {
  type ClassifiedResult,
  classifyResult,
  type MediaPart,
  type ResourceBlobPart,
  type ResultPart,
} from "./classified-result.ts";
export { type ErrorPlace, errorText, MAX_ERROR_TEXT_BYTES } from "./error-text.ts";
export { type FitOptions, type FittedSchema, fitSchema } from "./fitting/fit-schema.ts";
export { checkProfile, type SchemaProfile } from "./fitting/schema-profile.ts";
export { isMedia } from "./media-part.ts";
export {
  callForModel,
  type FailedCall,
  isFailedCall,
  type ModelCallOptions,
  type ModelCallResult,
  type OnCallError,
} from "./model-call.ts";
export { createModelTool, type ModelTool, type ModelToolOptions } from "./model-tool.ts";
export { matchesPattern } from "./name-pattern.ts";
export { createOutputCheck, type OutputCheck } from "./output-check.ts";
export { partText, resultText } from "./result-text.ts";
export type { SchemaChange } from "./schema/schema-change.ts";
export {
  type ApprovalNeed,
  approvalNeed,
  type CallToApprove,
  changedSinceApproval,
  checkApproval,
  type ToolApproval,
} from "./tool-approval.ts";
export { type ToolMetadata, toolMetadata } from "./tool-metadata.ts";
export { checkSelection, selectTools, type ToolSelection } from "./tool-selection.ts";
