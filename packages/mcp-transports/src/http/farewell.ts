import type { Conversation } from "./conversation.ts";

/** Tells the server that the session is over, if there is one. Resolves whatever comes of it. */
export async function sayFarewell(conversation: Conversation, patienceMs: number): Promise<void> {
  if (conversation.sessionId === undefined) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const call = conversation.delete({
    onAccepted: () => ({ push() {}, end() {} }),
    onEnd: resolve,
    onRefusal: () => resolve(),
    onError: () => resolve(),
  });
  conversation.sessionId = undefined;
  const timer = setTimeout(() => call.abort(new Error("the farewell took too long")), patienceMs);
  await promise;
  clearTimeout(timer);
}
