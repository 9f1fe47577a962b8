export { type ArgumentCheck, createArgumentCheck } from "./argument-check.ts";
export { type FollowedCall, followCall } from "./call-progress.ts";
export {
  type ClassifiedResult,
  classifyResult,
  type MediaPart,
  type ResultPart,
  type UnshownPart,
} from "./classified-result.ts";
export type { MediaKind } from "./content-bytes.ts";
export { type ErrorPlace, errorText, MAX_ERROR_TEXT_BYTES } from "./error-text.ts";
export { type FitOptions, type FittedSchema, fitSchema } from "./fitting/fit-schema.ts";
export { checkProfile, type KnownProfile, type SchemaProfile } from "./fitting/schema-profile.ts";
export { meantTool } from "./meant-tool.ts";
export {
  callForModel,
  type FailedCall,
  failedCall,
  isFailedCall,
  type ModelCallOptions,
  type ModelCallResult,
  type OnCallError,
} from "./model-call.ts";
export {
  CLAUDE_MEDIA,
  checkMedia,
  type MediaSupport,
  type ModelContent,
  modelContent,
  partText,
  resultText,
} from "./model-content.ts";
export { createModelTool, type ModelTool, type ModelToolOptions } from "./model-tool.ts";
export { matchesPattern } from "./name-pattern.ts";
export { createOutputCheck, type OutputCheck } from "./output-check.ts";
export type { SchemaChange } from "./schema/schema-change.ts";
export { shownText, shownValue } from "./shown-text.ts";
export {
  type ApprovalNeed,
  approvalNeed,
  type CallToApprove,
  changedSinceApproval,
  checkApproval,
  type ToolApproval,
} from "./tool-approval.ts";
export {
  callIn,
  createToolFinder,
  type FinderTool,
  type FindingOptions,
  foundText,
  MOST_FOUND,
  namesFound,
  type ToolFinder,
  textIn,
  textResult,
} from "./tool-finder.ts";
export {
  resultData,
  type ToolFunctions,
  type ToolFunctionTypes,
  toolFunctions,
} from "./tool-functions.ts";
export { type ToolMetadata, toolMetadata, toolTitle } from "./tool-metadata.ts";
export { checkSelection, selectTools, type ToolSelection } from "./tool-selection.ts";
