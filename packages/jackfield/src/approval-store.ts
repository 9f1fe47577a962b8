import type { ApprovalLedger } from "@jackfield/mcp-config";
import { createApprovalLedger, fileStateStore } from "@jackfield/mcp-config";
import {
  isMcpError,
  type Logger,
  McpError,
  type ServerDefinition,
  type StateStore,
  thrownText,
} from "@jackfield/mcp-core";
import { fileSystem } from "@jackfield/mcp-core/node";
import { ownStateDirectory } from "./state-directory.ts";
import { homeUnknown } from "./unknown-home.ts";

/**
 * Opens the approval ledger: in the given store, else in the user's state directory. Only the environment of this process decides where
 * that is, never a project file.
 */
export function openApprovals(store: StateStore | undefined, log: Logger): ApprovalLedger {
  return createApprovalLedger(store ?? ownStore(log));
}

/** A definition for probing the ledger; it is never started. */
const PROBE: ServerDefinition = {
  name: "probe",
  transport: "stdio",
  command: "",
  definedIn: { scope: "explicit" },
};

/**
 * Checks that approvals can be stored, before an action that needs one.
 *
 * @throws McpError `MCP_STORAGE_FAILED` that names the directory, or the key that is not trusted
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
    const cause = isMcpError(error) ? error.cause : error;
    // An error without a cause is the store's own refusal, which names the remedy.
    if (cause === undefined) throw error;
    const reason = (cause as NodeJS.ErrnoException).code ?? thrownText(cause);
    const message = `Approvals cannot be stored in ${directory} (${reason}); check that it is writable, or set JACKFIELD_HOME to another folder.`;
    throw new McpError("MCP_STORAGE_FAILED", message, { phase: "approve", cause });
  };
  return {
    ...store,
    set: (key, value) => store.set(key, value).catch(explain),
    setIfMissing: (key, value) => store.setIfMissing(key, value).catch(explain),
  };
}

/**
 * A read-only ledger for checking many definitions at once. It reads no file twice, and loads nothing that reads files if the directory
 * does not exist.
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

/** The store if the user's home directory is unknown: it is empty, and writing to it fails. */
const NO_STORE: StateStore = {
  get: async () => undefined,
  set: async () => {
    throw homeUnknown("approvals");
  },
  delete: async () => {},
  keys: async () => [],
};
