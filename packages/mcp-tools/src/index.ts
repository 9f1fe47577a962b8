export {
  type ClassifiedResult,
  classifyResult,
  isMedia,
  type MediaPart,
  type ResourceBlobPart,
  type ResultPart,
} from "./classified-result.ts";
export { type ErrorPlace, errorText, MAX_ERROR_TEXT_BYTES } from "./error-text.ts";
export { modelInputSchema } from "./input-schema.ts";
export { callForModel, type FailedCall, isFailedCall, type ModelCallResult } from "./model-call.ts";
export { matchesPattern } from "./name-pattern.ts";
export { partText, resultText } from "./result-text.ts";
export { selectTools, type ToolSelection } from "./tool-selection.ts";
