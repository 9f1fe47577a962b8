import {
  type CatalogItems,
  type ContextSource,
  createDeadline,
  DEFAULT_LIMITS,
  type Deadline,
  isMcpError,
  type Logger,
  McpError,
  type Owned,
  type RequestOptions,
  raceSignal,
  type Session,
  type SessionMethod,
  type SessionParams,
  type SessionResult,
  startTimer,
  thrownText,
  toMcpError,
} from "@jackfield/mcp-core";
import type { ManagedServer } from "../server/managed-server.ts";
import { checkOptions } from "../server/operation-deadline.ts";
import { isUnsent, MOST_UNSENT, turnOfTheEventLoop } from "../server/unsent-request.ts";
import { CallTime } from "../tools/call-time.ts";
import type { ContextKind, ServerContext } from "./server-context.ts";

/** Everything a context source offers besides tools. */
export type ContextReader = Omit<ContextSource, "servers" | "tools" | "searchTools" | "callTool" | "on">;

/** What the reader needs of a server. */
interface ContextServer
  extends Pick<ManagedServer, "definition" | "openSession" | "session" | "nextState" | "reportLoss"> {
  readonly context: ServerContext;
}

export interface ContextReaderOptions {
  readonly all: () => readonly ContextServer[];
  /** @throws McpError `MCP_SERVER_UNKNOWN`, `MCP_CLOSED` */
  readonly server: (name: string) => ContextServer;
  readonly log: Logger;
}

/** Reads what servers offer besides tools. One deadline covers the wait for a session and the request. */
export function createContextReader({ all, server, log }: ContextReaderOptions): ContextReader {
  async function list<K extends ContextKind>(
    kind: K,
    name: string | undefined,
  ): Promise<readonly Owned<CatalogItems[K]>[]> {
    if (name !== undefined) return listOf(server(name), kind);
    return (await Promise.all(all().map((managed) => listOrNothing(managed, kind, log)))).flat();
  }

  return {
    resources: (name) => list("resources", name),
    resourceTemplates: (name) => list("resourceTemplates", name),
    prompts: (name) => list("prompts", name),
    readResource: async (name, uri, options) => ask(server(name), "resources/read", { uri }, options),
    getPrompt: async (name, prompt, args, options) =>
      ask(server(name), "prompts/get", { name: prompt, arguments: args }, options),
    complete: async (name, request, options) => ask(server(name), "completion/complete", request, options),
    async subscribe(name, uri, listener, options = {}) {
      const managed = server(name);
      checkOptions(name, options);
      const progress: WaitStage = { isAsked: false };
      using deadline = contextDeadline(managed, options, progress);
      const stop = await onSession(managed, deadline, async (session) => {
        progress.isAsked = true;
        try {
          return await managed.context.subscribe(session, uri, listener, deadline.signal);
        } catch (error) {
          progress.isAsked = !isUnsent(error);
          throw error;
        }
      });
      return { server: name, uri, close: stop, [Symbol.asyncDispose]: stop };
    },
  };
}

/**
 * Gets the current list. If the session cannot be asked, or ends before the list is in, what is known is returned. If nothing is known, the
 * next session is asked, once.
 *
 * @param isNamed - whether the caller named this server. For a caller who wants the lists of all servers, none is asked twice or waited for
 */
async function listOf<K extends ContextKind>(
  managed: ContextServer,
  kind: K,
  isNamed = true,
): Promise<readonly Owned<CatalogItems[K]>[]> {
  const { context, definition } = managed;
  const own = (items: readonly CatalogItems[K][]) =>
    items.map((item) => ({ ...item, server: definition.name }));
  const progress: WaitStage = { isAsked: false };
  using deadline = contextDeadline(managed, {}, progress);
  let failure: McpError | undefined;
  for (;;) {
    const known = context.known(kind);
    if (managed.openSession === undefined && known !== undefined) return own(known);
    if (!isNamed && failure !== undefined) throw failure;
    if (!isNamed && managed.openSession === undefined) return [];
    const session = await openedSession(managed, deadline);
    progress.isAsked = true;
    try {
      const items = await context.listed(kind, session, deadline);
      if (items !== undefined) return own(items);
    } catch (error) {
      progress.isAsked = !isUnsent(error);
      if (deadline.signal.aborted || !isMcpError(error)) throw error;
      if (!(await hasEnded(managed, session, error)) || failure !== undefined) throw error;
      failure = error;
    }
  }
}

/** Decides whether a session whose list failed is over. Some sessions report this a moment later; others have to be given up. */
async function hasEnded(managed: ContextServer, session: Session, error: McpError): Promise<boolean> {
  await turnOfTheEventLoop();
  return (
    managed.openSession !== session || (isUnsent(error) && reportLossUnlessUsed(managed, session, error))
  );
}

/**
 * Gives up a session that was unusable twice in a row, even if it counts as open. It is kept while other requests are under way on it,
 * because they may still be answered.
 *
 * @returns whether the session is over.
 */
function reportLossUnlessUsed(managed: ContextServer, session: Session, error: McpError): boolean {
  const { openSession } = managed;
  if (openSession === session && openSession.isUsed) return false;
  managed.reportLoss(session, error);
  return true;
}

/** The list of one of many servers; empty if it fails, so that the others are still listed. */
async function listOrNothing<K extends ContextKind>(
  managed: ContextServer,
  kind: K,
  log: Logger,
): Promise<readonly Owned<CatalogItems[K]>[]> {
  try {
    return await listOf(managed, kind, false);
  } catch (error) {
    log("debug", "A server's list was left out.", {
      server: managed.definition.name,
      kind,
      error: thrownText(error),
    });
    return [];
  }
}

/** Waits for a session and makes the request, both within the caller's time. */
async function ask<M extends SessionMethod>(
  managed: ContextServer,
  method: M,
  params: SessionParams<M>,
  options: RequestOptions = {},
): Promise<SessionResult<M>> {
  checkOptions(managed.definition.name, options);
  const time = new CallTime(options, managed.definition.limits);
  using deadline = contextDeadline(managed, { signal: options.signal, timeoutMs: time.waitMs() });
  const request = (session: Session) => session.request(method, params, { ...options, ...time.left() });
  return await onSession(managed, deadline, request); // Awaited, so that the deadline lasts until the answer.
}

/**
 * Runs a request on a session. A request that could not be sent is repeated as often as a call: once on the same session, and once on
 * the next. A session is not given up for it while other requests are under way: the request is then repeated on it after a pause.
 */
async function onSession<T>(
  managed: ContextServer,
  deadline: Deadline,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  let unusable: Session | undefined;
  let pauses = 0;
  for (let unsent = 1; ; ) {
    const session = await openedSession(managed, deadline);
    try {
      return await use(session);
    } catch (error) {
      if (!isUnsent(error) || unsent > MOST_UNSENT) throw error;
      if (unusable === session && !reportLossUnlessUsed(managed, session, error)) {
        await pause(managed, Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** pauses), deadline);
        pauses += 1;
        continue; // The attempt does not count: the session may be usable again later.
      }
      unusable = session;
      unsent += 1;
    }
    await raceSignal(turnOfTheEventLoop(), deadline.signal);
  }
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** Waits for so many milliseconds, or until the server's state changes. */
async function pause(managed: ContextServer, waitMs: number, { signal }: Deadline): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = startTimer(over.resolve, waitMs);
  try {
    await raceSignal(Promise.race([over.promise, managed.nextState()]), signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for a session. A failure gets a new error for this request, because many callers may share the original one. */
async function openedSession(managed: ContextServer, deadline: Deadline): Promise<Session> {
  if (managed.openSession !== undefined) return managed.openSession;
  try {
    return await managed.session(deadline);
  } catch (thrown) {
    if (deadline.signal.aborted) throw deadline.signal.reason;
    const { name: server } = managed.definition;
    const cause = toMcpError(thrown, "MCP_INTERNAL", "The server could not be reached.");
    const message = `Nothing was sent to server "${server}": ${cause.message}`;
    throw new McpError(cause.code, message, { ...cause.toJSON(), server, outcome: "not-sent", cause });
  }
}

/** Whether the server was asked already when a deadline ended the wait. */
interface WaitStage {
  isAsked: boolean;
}

function contextDeadline(
  { definition: { name, limits } }: ContextServer,
  { signal, timeoutMs }: Pick<RequestOptions, "signal" | "timeoutMs">,
  progress: Readonly<WaitStage> = { isAsked: false },
): Deadline {
  const limitMs = timeoutMs ?? limits?.callTimeoutMs ?? DEFAULT_LIMITS.callTimeoutMs;
  const ended = (code: "MCP_ABORTED" | "MCP_CALL_TIMEOUT") => {
    const { isAsked } = progress;
    const what = isAsked ? "answered" : "was ready; nothing was sent to it";
    const why = code === "MCP_ABORTED" ? "The request was aborted" : `${limitMs} ms passed`;
    const outcome = isAsked ? "unknown" : "not-sent";
    return new McpError(code, `${why} before server "${name}" ${what}.`, { server: name, outcome });
  };
  return createDeadline({
    signal,
    timeoutMs: limitMs,
    aborted: () => ended("MCP_ABORTED"),
    expired: () => ended("MCP_CALL_TIMEOUT"),
  });
}
