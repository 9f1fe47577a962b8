import {
  type Logger,
  type StateStore,
  type ToolDescriptor,
  thrownText,
  toolDigest,
} from "@jackfield/mcp-core";

/** Approvals that hold for longer than one call. */
export interface ApprovalMemory {
  has(key: string): Promise<boolean>;
  add(key: string, answer: "run" | "forever"): Promise<void>;
}

const KEY_PREFIX = "call-approval:";

/** Identifies a tool by server and content, so that a tool that changed needs a new approval. */
export function approvalKey(tool: ToolDescriptor): string {
  return `${encodeURIComponent(tool.server.toWellFormed())}:${toolDigest(tool)}`;
}

/** A failing store never fails a call: the person is asked again instead. */
export function createApprovalMemory(store: StateStore | undefined, log: Logger): ApprovalMemory {
  const inThisRun = new Set<string>();
  const failed = (what: string) => (error: unknown) => {
    log("warn", `An approval of calls could not be ${what}.`, { error: thrownText(error) });
    return undefined;
  };
  return {
    async has(key) {
      if (inThisRun.has(key)) return true;
      return (await store?.get(KEY_PREFIX + key).catch(failed("read"))) !== undefined;
    },
    async add(key, answer) {
      inThisRun.add(key);
      if (answer === "forever")
        await store?.set(KEY_PREFIX + key, new Date().toISOString()).catch(failed("stored"));
    },
  };
}
