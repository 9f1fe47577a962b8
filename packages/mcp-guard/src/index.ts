export type {
  ApprovalLists,
  ApprovalMap,
  ApprovalQuestion,
  ApprovalRule,
  RulesByServer,
} from "./approval/approval-rule.ts";
export {
  type ApprovalAnswer,
  type ApprovalRequest,
  type CallApproval,
  type CallApprovalOptions,
  callApproval,
} from "./approval/call-approval.ts";
export { cleanJson, cleanResult, cleanResults, cleanText } from "./cleaning/clean-text.ts";
export { cleanTools } from "./cleaning/clean-tools.ts";
export {
  findHiddenCharacters,
  type HiddenCharacter,
  type HiddenKind,
} from "./cleaning/hidden-characters.ts";
export { type ContentGuardOptions, type ContentGuards, createContentGuards } from "./content-guards.ts";
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
  type ParseLockOptions,
  parseLock,
} from "./lock/mcp-lock.ts";
export { encloseUntrusted, type Provenance, untrustedOutputNote } from "./marking/boundary.ts";
export { markResource } from "./marking/mark-blocks.ts";
export { markPrompt, markResult, markResults } from "./marking/mark-results.ts";
export { formatChanges, type ToolChange } from "./pinning/tool-diff.ts";
export type {
  PinnedTool,
  ToolPin,
} from "./pinning/tool-pin.ts";
export type { PinPolicy } from "./pinning/tool-pins.ts";
export { openToolPins, type PinFinding, type ToolPins, type ToolPinsOptions } from "./pinning/tool-pins.ts";
export type {
  FoundMatch,
  InjectionFinding,
  ScannedPlace,
  ScannedText,
  ScanOptions,
} from "./scanning/injection-finding.ts";
export type { InjectionSignal } from "./scanning/injection-signals.ts";
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
