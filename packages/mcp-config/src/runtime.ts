/**
 * What a runtime needs at every start, without the modules that read hosts' files: these functions load them on demand. The
 * package's main entry point exports all of this as well.
 */
export { createServerAdmission } from "./admission/server-admission.ts";
export { createApprovalLedger } from "./approval/approval-ledger.ts";
export { approvalRequest } from "./approval/approval-request.ts";
export { definitionContent } from "./approval/definition-content.ts";
export { fileStateStore } from "./approval/file-state-store.ts";
export { promptApprover } from "./approval/prompt-approver.ts";
export { visibleText } from "./approval/visible-text.ts";
export { findServers } from "./discovery/discover-servers.ts";
export { exaApiKey, isExaServer } from "./filters/native-servers.ts";
export { createServerResolver } from "./server-resolver.ts";
