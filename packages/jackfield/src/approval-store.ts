import { homedir } from "node:os";
import { join } from "node:path";
import type { ApprovalLedger } from "@jackfield/mcp-config";
import { createApprovalLedger, fileStateStore } from "@jackfield/mcp-config/runtime";
import type { Logger, StateStore } from "@jackfield/mcp-core";
import { stateDirectory } from "./state-directory.ts";

/**
 * The ledger of approvals: in the store that is given, else in the user's own folder. Only the environment of this process says
 * where that is, never a file of a project.
 */
export function openApprovals(store: StateStore | undefined, log: Logger): ApprovalLedger {
  return createApprovalLedger(store ?? fileStateStore({ directory: approvalDirectory(), log }));
}

function approvalDirectory(): string {
  const directory = stateDirectory({ platform: process.platform, env: process.env, home: homedir() });
  return join(directory, "approvals");
}
