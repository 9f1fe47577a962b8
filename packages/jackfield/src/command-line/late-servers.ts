import type { ServerSnapshot } from "@jackfield/mcp-core";
import type { Mcp } from "../mcp.ts";
import { untilInterrupted } from "./interruption.ts";

type LateServers = Pick<Mcp, "servers" | "on" | "refreshTools">;

export interface WaitOptions {
  /** Whether a server is waited for. Default: every one is. */
  readonly isWanted?: ((server: ServerSnapshot) => boolean) | undefined;
  /** Ends the waiting early. */
  readonly isEnough?: (() => boolean) | undefined;
  readonly signal: AbortSignal;
}

/**
 * Waits for each server whose tools are not known until it has listed them or failed once, within its own deadlines. A start does not wait
 * for a server that failed the last time, so a command would otherwise never learn that it is up again.
 *
 * @throws the signal's reason
 */
export async function untilListed(
  mcp: LateServers,
  { isWanted = () => true, isEnough = () => false, signal }: WaitOptions,
): Promise<void> {
  const late = mcp.servers().filter((server) => isComing(server) && isWanted(server));
  if (late.length === 0 || isEnough()) return;
  const enough = Promise.withResolvers<void>();
  const off = mcp.on("toolsChanged", () => {
    if (isEnough()) enough.resolve();
  });
  try {
    const listed = Promise.all(late.map(({ name }) => untilSettled(mcp, name, signal)));
    await untilInterrupted(Promise.race([listed, enough.promise]), signal);
  } finally {
    off();
  }
}

/** Why the tools of a server are not known, for people. `undefined` if they are, or if it waits for approval, which has its own warning. */
export function unknownTools({ name, toolsFrom, error }: ServerSnapshot): string | undefined {
  if (toolsFrom !== "none" || error?.code === "MCP_APPROVAL_REQUIRED") return undefined;
  const reason = error === undefined ? "it has not been started yet." : error.message;
  return `The tools of server ${JSON.stringify(name)} are not known: ${reason}`;
}

function isComing({ toolsFrom, error, status }: ServerSnapshot): boolean {
  return toolsFrom === "none" && error === undefined && (status === "connecting" || status === "ready");
}

async function untilSettled(mcp: LateServers, name: string, signal: AbortSignal): Promise<void> {
  const find = () => mcp.servers().find((server) => server.name === name);
  if (find()?.status === "connecting") await untilStatusChanges(mcp, name);
  // Its list is being loaded; the snapshot shows whether that succeeds.
  if (find()?.status === "ready") await mcp.refreshTools(name, { signal }).catch(() => {});
}

function untilStatusChanges(mcp: LateServers, name: string): Promise<void> {
  return new Promise((resolve) => {
    const off = mcp.on("statusChanged", ({ snapshot }) => {
      if (snapshot.name !== name) return;
      off();
      resolve();
    });
  });
}
