export type { CallMiddleware, ToolCall, ToolListPolicy } from "@jackfield/mcp-core";
export type { ApprovalLists, ApprovalMap, ApprovalQuestion, ApprovalRule } from "./approval/approval-rule.ts";
export {
  type ApprovalAnswer,
  type ApprovalRequest,
  type CallApproval,
  type CallApprovalOptions,
  callApproval,
} from "./approval/call-approval.ts";
export { cleanJson, cleanText } from "./cleaning/clean-text.ts";
export { cleanTools } from "./cleaning/clean-tools.ts";
export { removeControlSequences } from "./cleaning/control-sequences.ts";
export {
  findHiddenCharacters,
  type HiddenCharacter,
  type HiddenKind,
  removeHiddenCharacters,
} from "./cleaning/hidden-characters.ts";
export { encloseUntrusted, type Provenance, untrustedOutputNote } from "./marking/boundary.ts";
export { markBlock, markResource, markResult, markResults } from "./marking/mark-results.ts";
export { diffTools, formatChanges, type ToolChange } from "./pinning/tool-diff.ts";
export { PINNED_FIELDS, type PinnedTool, toolDigest } from "./pinning/tool-digest.ts";
export { type PinState, parsePin, pinTool, type ToolPin } from "./pinning/tool-pin.ts";
export {
  openToolPins,
  type PinFinding,
  type PinPolicy,
  type ToolPins,
  type ToolPinsOptions,
} from "./pinning/tool-pins.ts";
export {
  findInjectionSignals,
  INJECTION_SIGNALS,
  type InjectionSignal,
  type SignalMatch,
} from "./scanning/injection-signals.ts";
export {
  type InjectionFinding,
  type ScanOptions,
  scanResults,
  scanTools,
  type ToolNames,
} from "./scanning/scan-results.ts";
export { type LimitResultsOptions, limitResults, type ResultLimits } from "./size/limit-results.ts";
export {
  type ResultDirectory,
  type ResultPage,
  type ResultStore,
  resultDirectory,
} from "./size/result-store.ts";
