import {
  type AuthPort,
  type CatalogEntry,
  type Connector,
  credentialsOfAuthorization,
  type Logger,
  type McpError,
  Redactor,
  type ResolvedServer,
  type ResolveServer,
  type Session,
  silentLogger,
  type ToolCache,
} from "@jackfield/mcp-core";

/** How many resolutions of a server are remembered for each user: an error may contain a credential that was renewed since. */
const REMEMBERED_RESOLUTIONS = 4;

/**
 * Keeps the credentials of all servers and users out of what the runtime says: they are hidden where a log line leaves, and in errors.
 * What servers send is data and passes unchanged.
 */
export interface Secrecy {
  /**
   * Admits a principal for whom servers are reached, and returns a function that ends the admission. When the last admission of a principal
   * ends, its credentials are forgotten.
   */
  admit(principal: string | undefined): () => void;
  /** A copy of an error, or of fields with texts for people, without the credentials; the same if it has none. */
  hideIn<T>(shown: T): T;
  readonly log: Logger;
  /**
   * The same resolver. The credentials of what it resolves are recorded, unless its principal is not admitted, and its errors contain none.
   */
  follow(resolve: ResolveServer): ResolveServer;
  /** The same connector; errors of it and of its sessions contain no credentials. Those that `auth` returns are recorded, too. */
  protect(connect: Connector): Connector;
  /** The same catalog. It stores nothing of a server that repeats a credential. */
  protectCatalog(catalog: ToolCache): ToolCache;
}

/** @param log - where the runtime says what it does */
export function createSecrecy(log: Logger | undefined): Secrecy {
  const redactor = new Redactor();
  /** By principal, and then by what the credentials were filled into. */
  const resolutions = new Map<string | undefined, Map<string, (readonly string[])[]>>();
  /** The number of admissions by principal. */
  const admissions = new Map<string | undefined, number>();
  const hideIn = <T>(shown: T): T => redactor.hideIn(shown);
  const rethrow = (error: unknown): never => {
    throw hideIn(error);
  };

  const record = (
    principal: string | undefined,
    into: readonly string[],
    credentials: readonly string[],
  ): void => {
    if (credentials.length === 0) return;
    // A resolver may finish after its principal has left; then nothing would ever remove the credentials.
    if (principal !== undefined && !admissions.has(principal)) return;
    const subject = JSON.stringify(into);
    const own = resolutions.get(principal) ?? new Map<string, (readonly string[])[]>();
    resolutions.set(principal, own);
    const earlier = own.get(subject) ?? [];
    const same = earlier.find((one) => isSameList(one, credentials));
    // A repeated list moves to the end: lists that alternate must not push out rare ones.
    const lists = [...earlier.filter((one) => one !== same), same ?? credentials];
    if (same === undefined) redactor.add(credentials);
    for (const outdated of lists.splice(0, lists.length - REMEMBERED_RESOLUTIONS)) redactor.remove(outdated);
    own.set(subject, lists);
  };
  const forget = (principal: string | undefined): void => {
    admissions.delete(principal);
    for (const lists of resolutions.get(principal)?.values() ?? [])
      for (const list of lists) redactor.remove(list);
    resolutions.delete(principal);
  };
  /** Kept apart from later resolutions, as for a login or the catalog: a session still uses the values it was opened with. */
  const recordConnected = ({ name, secrets }: ResolvedServer, principal: string | undefined): void =>
    record(principal, [name, "connected"], secrets);
  // Kept apart from the entry's values: tokens are renewed more often, and would push those out.
  const withRecordedCredentials = (auth: AuthPort, principal: string | undefined) =>
    withReportedHeaders(auth, (server, values) => record(principal, [server, "auth"], values));
  const ownLog: Logger =
    log === undefined
      ? silentLogger
      : (level, message, fields) => logSafely(log, level, redactor.hide(message), hideIn(fields));

  return {
    admit(principal) {
      admissions.set(principal, (admissions.get(principal) ?? 0) + 1);
      let isPresent = true;
      return () => {
        if (!isPresent) return;
        isPresent = false;
        const others = (admissions.get(principal) ?? 0) - 1;
        if (others > 0) admissions.set(principal, others);
        else forget(principal);
      };
    },
    hideIn,
    log: ownLog,
    follow: (resolve) => async (definition, options) => {
      const server = await resolve(definition, options).catch(rethrow);
      record(options.principal, [definition.name], server.secrets);
      return server;
    },
    protect: (connect) => async (server, options) => {
      recordConnected(server, options.principal);
      const auth = options.auth && withRecordedCredentials(options.auth, options.principal);
      const session = await connect(server, { ...options, auth }).catch(rethrow);
      return protectSession(session, redactor);
    },
    protectCatalog: (catalog) => withoutRepeated(catalog, redactor, ownLog),
  };
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}

/** Ignores a logger that throws or rejects: there is nowhere left to report it. */
function logSafely(log: Logger, ...line: Parameters<Logger>): void {
  try {
    const answer: unknown = log(...line);
    if (answer !== undefined) Promise.resolve(answer).catch(() => {});
  } catch {}
}

/** The same port, which reports the headers it returns: each value, and the part after a scheme, because servers repeat both. */
function withReportedHeaders(
  auth: AuthPort,
  onValues: (server: string, values: readonly string[]) => void,
): AuthPort {
  return {
    async headers(server) {
      const headers = await auth.headers(server);
      const values = Object.values(headers).flat().filter(isSent).map(String);
      onValues(server.name, [...new Set(values.flatMap(credentialsOfAuthorization))]);
      return headers;
    },
    onChallenge: (...challenge) => auth.onChallenge(...challenge),
  };
}

/** A host in plain JavaScript may return other values than strings. The transport judges those that are not sent as text. */
function isSent(value: unknown): boolean {
  return ["string", "number", "bigint", "boolean"].includes(typeof value);
}

/** The same session; its errors contain no credentials. Everything else passes as the server sent it. */
function protectSession(session: Session, redactor: Redactor): Session {
  const hidden = <T>(answer: Promise<T>): Promise<T> =>
    // Where nothing is to be hidden, a call is not slowed down by another promise.
    redactor.isEmpty
      ? answer
      : answer.catch((error: unknown) => {
          throw redactor.hideIn(error);
        });
  return {
    get handshake() {
      return session.handshake;
    },
    list: (kind, options) => hidden(session.list(kind, options)),
    request: (method, params, options) => hidden(session.request(method, params, options)),
    onNotification: (listener) => session.onNotification(listener),
    onRenewed: (listener) => session.onRenewed(listener),
    onClose: (listener) => session.onClose((cause: McpError | undefined) => listener(redactor.hideIn(cause))),
    close: () => session.close(),
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

/** Instructions, descriptions and schemas are stored as they are or not at all: a changed one would be another tool. */
function withoutRepeated(catalog: ToolCache, redactor: Redactor, log: Logger): ToolCache {
  const told = new Set<string>();
  const repeats = (entry: CatalogEntry) => {
    if (redactor.isEmpty || !redactor.finds(JSON.stringify(entry))) return false;
    if (!told.has(entry.server)) {
      const message =
        "What the server offers is not stored in the catalog, because it repeats a credential of its entry.";
      log("warn", message, { server: entry.server });
    }
    told.add(entry.server);
    return true;
  };
  return {
    identify: (server, principal) => catalog.identify(server, principal),
    getMany: (ids) => catalog.getMany(ids),
    set: async (id, entry) => {
      if (!repeats(entry)) await catalog.set(id, entry);
    },
    markStale: (id) => catalog.markStale(id),
    delete: (id) => catalog.delete(id),
    list: () => catalog.list(),
    close: () => catalog.close(),
  };
}
