import { type Logger, type StateStore, type ToolDescriptor, thrownText } from "@jackfield/mcp-core";
import { toolDigest } from "../pinning/tool-digest.ts";

/** What was approved for longer than one call. */
export interface ApprovalMemory {
  has(key: string): Promise<boolean>;
  add(key: string, answer: "run" | "forever"): Promise<void>;
}

const KEY_PREFIX = "call-approval:";

/** By server and content: a tool that changed is another tool and is asked about again. */
export function approvalKey(tool: ToolDescriptor): string {
  return `${encodeURIComponent(tool.server.toWellFormed())}:${toolDigest(tool)}`;
}

/** A store that fails costs what it should have remembered, never a call: a person is asked again. */
export function createApprovalMemory(store: StateStore | undefined, log: Logger): ApprovalMemory {
  const inThisRun = new Set<string>();
  const failed = (what: string) => (error: unknown) => {
    log("warn", `an approval of calls could not be ${what}`, { error: thrownText(error) });
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
        await store?.set(KEY_PREFIX + key, new Date().toISOString()).catch(failed("kept"));
    },
  };
}
