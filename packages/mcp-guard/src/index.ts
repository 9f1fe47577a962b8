export type { CallChange, CallMiddleware, ToolCall, ToolListPolicy } from "@jackfield/mcp-core";
export type { ApprovalLists, ApprovalMap, ApprovalQuestion, ApprovalRule } from "./approval/approval-rule.ts";
export {
  type ApprovalAnswer,
  type ApprovalRequest,
  type CallApproval,
  type CallApprovalOptions,
  callApproval,
} from "./approval/call-approval.ts";
export { cleanResult, cleanResults } from "./cleaning/clean-results.ts";
export { cleanJson, cleanText } from "./cleaning/clean-text.ts";
export { cleanTools } from "./cleaning/clean-tools.ts";
export { removeControlSequences } from "./cleaning/control-sequences.ts";
export {
  findHiddenCharacters,
  type HiddenCharacter,
  type HiddenKind,
  removeHiddenCharacters,
} from "./cleaning/hidden-characters.ts";
export {
  compareWithLock,
  formatComparison,
  type LockComparison,
  type ServerDrift,
  type ToolDrift,
} from "./lock/compare-with-lock.ts";
export {
  formatLock,
  type LockableServer,
  type LockableTools,
  type LockedServer,
  type LockedVersion,
  lockOf,
  type McpLock,
} from "./lock/mcp-lock.ts";
export { type ParseLockOptions, parseLock } from "./lock/parse-lock.ts";
export { encloseUntrusted, type Provenance, untrustedOutputNote } from "./marking/boundary.ts";
export { markBlock, markResource } from "./marking/mark-blocks.ts";
export { markPrompt, markResult, markResults } from "./marking/mark-results.ts";
export { PINNED_FIELDS, type PinnedTool, pinDigest } from "./pinning/pin-digest.ts";
export type { PinPolicy } from "./pinning/pin-policy.ts";
export { diffTools, formatChanges, type ToolChange } from "./pinning/tool-diff.ts";
export { type PinState, parsePin, pinTool, type ToolPin } from "./pinning/tool-pin.ts";
export { openToolPins, type PinFinding, type ToolPins, type ToolPinsOptions } from "./pinning/tool-pins.ts";
export type {
  FoundMatch,
  InjectionFinding,
  ScannedPlace,
  ScannedText,
  ScanOptions,
} from "./scanning/injection-finding.ts";
export {
  findInjectionSignals,
  INJECTION_SIGNALS,
  type InjectionSignal,
  type SignalMatch,
} from "./scanning/injection-signals.ts";
export { scanResults, scanText } from "./scanning/scan-results.ts";
export { scanTools } from "./scanning/scan-tools.ts";
export { limitPrompt, limitResource } from "./size/limit-contents.ts";
export { type LimitResultsOptions, limitResults } from "./size/limit-results.ts";
export type { ResultLimits } from "./size/result-limits.ts";
export {
  type ResultDirectory,
  type ResultPage,
  type ResultStore,
  resultDirectory,
} from "./size/result-store.ts";
export { traceCalls } from "./tracing/trace-calls.ts";
