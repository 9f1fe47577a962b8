import type { Conversation } from "./conversation.ts";

/** Tells the server to end the session, if there is one. Never rejects, and gives up after `timeoutMs`. */
export async function deleteSession(conversation: Conversation, timeoutMs: number): Promise<void> {
  if (conversation.sessionId === undefined) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const call = conversation.delete({
    onAccepted: () => ({ push() {}, end() {} }),
    onEnd: resolve,
    onRefusal: () => resolve(),
    onError: () => resolve(),
  });
  conversation.sessionId = undefined;
  const timer = setTimeout(() => call.abort(new Error("ending the session took too long")), timeoutMs);
  await promise;
  clearTimeout(timer);
}
