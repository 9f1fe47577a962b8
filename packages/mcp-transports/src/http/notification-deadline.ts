import type { MessagePost } from "./message-post.ts";

/** How long a server may take to accept a message that expects no answer, in milliseconds. */
const NOTIFICATION_PATIENCE_MS = 10_000;

/** A message that expects no answer must not take as long as a call. */
export function endInTime(post: Pick<MessagePost, "abort" | "settled">): void {
  const end = () => post.abort(new Error("the server did not accept it in time"));
  const timer = setTimeout(end, NOTIFICATION_PATIENCE_MS);
  const stop = () => clearTimeout(timer);
  post.settled.then(stop, stop);
}
