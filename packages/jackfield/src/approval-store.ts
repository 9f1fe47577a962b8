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

/**
 * The same for somebody who asks about many definitions in a moment and approves none: no file is read twice, and nothing is loaded that
 * could read one where nothing was ever approved.
 */
export function readApprovals(log: Logger): Pick<ApprovalLedger, "isApproved"> {
  const directory = approvalDirectory();
  if (isMissing(directory)) return { isApproved: async () => false };
  const store = fileStateStore({ directory, log });
  const known = new Map<string, Promise<string | undefined>>();
  const get = (key: string) => {
    const value = known.get(key) ?? store.get(key);
    known.set(key, value);
    return value;
  };
  return createApprovalLedger({ ...store, get });
}

function isMissing(directory: string): boolean {
  try {
    // Not imported: an import would copy all that the module exports, and load streams on the way.
    process.getBuiltinModule("node:fs").accessSync(directory);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

function approvalDirectory(): string {
  const directory = stateDirectory({ platform: process.platform, env: process.env, home: homedir() });
  return join(directory, "approvals");
}
