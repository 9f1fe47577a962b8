import type { McpError, Session } from "@jackfield/mcp-core";
import { type Deadline, raceSignal } from "../deadline.ts";
import { turnOfTheEventLoop } from "../timer.ts";
import type { ListLoader, ListOutcome, ListState } from "./list-loader.ts";

/** The server whose tools are waited for. */
export interface AwaitedServer {
  readonly openSession: Session | undefined;
  session(deadline: Deadline): Promise<Session>;
  lose(session: Session, error: McpError): void;
}

/**
 * Waits for a list, connecting if need be. One that was cut off because its session ended is asked for again, of whatever session
 * there is then.
 *
 * @throws McpError why there is no session, or why it could not be listed.
 */
export async function awaitList(
  server: AwaitedServer,
  deadline: Deadline,
  list: (session: Session) => Promise<ListOutcome>,
): Promise<void> {
  for (;;) {
    const session = await server.session(deadline);
    if (server.openSession !== session) continue; // It has ended since.
    const outcome = await raceSignal(list(session), deadline.signal);
    if (outcome.status === "failed") throw outcome.error;
    if (outcome.status === "live") return;
  }
}

/**
 * Waits for a session and for its tools, connecting if need be. A server that answers that it cannot list them, or does not say within
 * `patienceMs`, is used all the same, and not asked again because of that. A list that breaks off with its connection is no answer:
 * what is there next may be another server.
 *
 * @param patienceMs - how long a list may take, in milliseconds; asked for each session
 * @throws McpError why there is no session.
 */
export async function listedSession(
  server: AwaitedServer,
  loader: () => ListLoader,
  deadline: Deadline,
  patienceMs: () => number,
): Promise<Session> {
  for (;;) {
    const session = await server.session(deadline);
    if (server.openSession !== session) continue;
    if (hasAnswered(loader().state)) return session;
    const outcome = await raceSignal(loader().settleWithin(session, patienceMs()), deadline.signal);
    if (outcome?.status === "failed") await turnOfTheEventLoop();
    if (server.openSession !== session) continue;
    if (outcome === undefined || hasAnswered(outcome)) return session;
    // It was tried twice: a connection that cannot be used twice in a row has ended, whatever it says.
    if (outcome.status === "failed") server.lose(session, outcome.error);
  }
}

function hasAnswered(list: ListState): boolean {
  return list.status === "live" || (list.status === "failed" && !isLoss(list.error));
}

function isLoss({ code }: McpError): boolean {
  return code === "MCP_SESSION_LOST" || code === "MCP_SERVER_EXITED" || code === "MCP_CLOSED";
}
