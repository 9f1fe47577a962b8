import { type Deadline, type McpError, raceSignal, type Session } from "@jackfield/mcp-core";
import { turnOfTheEventLoop } from "../timer.ts";
import type { ListLoader, ListOutcome, ListState } from "./list-loader.ts";
import { isUnsent } from "./unsent-request.ts";
import type { WatchedSession } from "./watched-session.ts";

/** The server whose tools are waited for. */
export interface AwaitedServer {
  readonly openSession: WatchedSession | undefined;
  /** See `ServerTools`. */
  readonly isRelisting: boolean;
  session(deadline: Deadline): Promise<WatchedSession>;
  reportLoss(session: Session, error: McpError): void;
}

/**
 * Waits for a list, connecting if need be. One whose session ended, or had a connection that cannot be used, is asked for once more, of
 * whatever session there is then: a server that dies whenever it lists is not started again and again for it. A session on which other
 * requests are under way is not given up for a list, because they may still be answered.
 *
 * @throws McpError why there is no session, or why it could not be listed.
 */
export async function awaitList(
  server: AwaitedServer,
  deadline: Deadline,
  list: (session: Session) => Promise<ListOutcome>,
): Promise<void> {
  for (let isRepeated = false; ; ) {
    const session = await server.session(deadline);
    if (server.openSession !== session) continue; // It has ended since.
    const outcome = await raceSignal(list(session), deadline.signal);
    if (outcome.status === "live") return;
    if (outcome.status !== "failed") continue;
    const isOver = await hasEnded(session, server, outcome.error, { isKeptInUse: true });
    if (!isOver || isRepeated) throw outcome.error;
    isRepeated = true;
  }
}

/**
 * Waits for a session and for its tools, connecting if need be. A server that cannot list them, or does not say within `patienceMs`,
 * is used all the same, and not asked again because of that; so is a session that goes on though its list broke off. One that ends
 * with its list, or could not be asked for it, is not used: what is there next may be another server.
 *
 * @param patienceMs - how long a list may take, in milliseconds; asked for each session
 * @throws McpError why there is no session.
 */
export async function listedSession(
  server: AwaitedServer,
  loader: () => ListLoader,
  deadline: Deadline,
  patienceMs: () => number,
): Promise<WatchedSession> {
  for (;;) {
    const session = await server.session(deadline);
    if (server.openSession !== session) continue;
    if (hasAnswered(loader().state) && !server.isRelisting) return session;
    const outcome = await raceSignal(loader().settleWithin(session, patienceMs()), deadline.signal);
    if (outcome?.status === "live" && server.isRelisting) continue; // That list began before the renewal.
    const { error } = outcome?.status === "failed" ? outcome : {};
    if (error !== undefined && (await hasEnded(session, server, error, { isKeptInUse: false }))) continue;
    if (server.openSession === session) return session;
  }
}

function hasAnswered(list: ListState): boolean {
  return list.status === "live" || (list.status === "failed" && !isUnsent(list.error));
}

/** Whether a session whose list failed is over: some say so a moment later, and one that could not be asked is given up here. */
async function hasEnded(
  session: Session,
  server: AwaitedServer,
  error: McpError,
  { isKeptInUse }: { readonly isKeptInUse: boolean },
): Promise<boolean> {
  await turnOfTheEventLoop();
  const { openSession } = server;
  if (openSession !== session) return true;
  if (!isUnsent(error) || (isKeptInUse && openSession.isUsed)) return false;
  // It was tried twice: a connection that cannot be used twice in a row has ended, whatever it says.
  server.reportLoss(session, error);
  return true;
}
