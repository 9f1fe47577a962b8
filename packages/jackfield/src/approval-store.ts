import type { ApprovalLedger } from "@jackfield/mcp-config";
import { createApprovalLedger, fileStateStore } from "@jackfield/mcp-config/runtime";
import {
  type Logger,
  type ServerDefinition,
  type StateStore,
  thrownText,
  toMcpError,
} from "@jackfield/mcp-core";
import { fileSystem } from "./builtin-modules.ts";
import { ownStateDirectory } from "./state-directory.ts";
import { homeUnknown } from "./unknown-home.ts";

/**
 * The ledger of approvals: in the store that is given, else in the user's own folder. Only the environment of this process says
 * where that is, never a file of a project.
 */
export function openApprovals(store: StateStore | undefined, log: Logger): ApprovalLedger {
  return createApprovalLedger(store ?? ownStore(log));
}

/** What nobody ever starts. */
const PROBE: ServerDefinition = {
  name: "probe",
  transport: "stdio",
  command: "",
  definedIn: { scope: "explicit" },
};

/**
 * Finds out whether approvals can be kept, before something is done that needs one.
 *
 * @throws McpError `MCP_CONFIG_INVALID` that names the directory, or the key that is not trusted
 */
export async function probeApprovals(log: Logger): Promise<void> {
  const ledger = createApprovalLedger(ownStore(log));
  await ledger.approve(PROBE);
  await ledger.revoke(PROBE);
}

function ownStore(log: Logger): StateStore {
  const directory = ownStateDirectory("approvals");
  if (directory === undefined) return NO_STORE;
  const store = fileStateStore({ directory, log });
  const explain = (error: unknown): never => {
    const reason = (error as NodeJS.ErrnoException).code ?? thrownText(error);
    const message = `Approvals cannot be kept in ${directory} (${reason}); see who may write there, or name another folder in JACKFIELD_HOME.`;
    throw toMcpError(error, "MCP_CONFIG_INVALID", message, { phase: "approve" });
  };
  return {
    ...store,
    set: (key, value) => store.set(key, value).catch(explain),
    setIfMissing: (key, value) => store.setIfMissing(key, value).catch(explain),
  };
}

/**
 * The same for somebody who asks about many definitions in a moment and approves none: no file is read twice, and nothing is loaded that
 * could read one where nothing was ever approved.
 */
export function readApprovals(log: Logger): Pick<ApprovalLedger, "isApproved"> {
  const directory = ownStateDirectory("approvals");
  if (directory === undefined || isMissing(directory)) return { isApproved: async () => false };
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
    fileSystem.accessSync(directory);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

/** Where nobody knows the user's home, nothing was approved, and nothing can be. */
const NO_STORE: StateStore = {
  get: async () => undefined,
  set: async () => {
    throw homeUnknown("approvals");
  },
  delete: async () => {},
  keys: async () => [],
};
