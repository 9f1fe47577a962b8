import type { InProcessServer, ResolvedInProcessServer } from "@jackfield/mcp-core";
import type { Opener } from "./opener.ts";

/**
 * A channel to a server in this process. A server that was made for this channel is closed with it; an instance that the
 * caller holds is only parted from it.
 */
export const openInProcess: Opener<ResolvedInProcessServer> = async ({ server: source }, { sdk }) => {
  const isOurs = typeof source === "function";
  const server: InProcessServer = isOurs ? await source() : source;
  const [ours, theirs] = sdk.InMemoryTransport.createLinkedPair();
  let closed: Promise<void> | undefined;

  /** A server that fails to close is let go all the same. */
  const letGo = async () => {
    await ours.close().catch(() => {});
    if (isOurs) await server.close?.().catch(() => {});
  };
  const close = () => {
    closed ??= letGo();
    return closed;
  };

  try {
    await server.connect(theirs as never);
  } catch (error) {
    await close();
    throw error;
  }
  return { transport: ours, isPipe: false, facts: () => ({}), close };
};
