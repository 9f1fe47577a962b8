import { secretSpellings } from "@jackfield/mcp-config/runtime";
import {
  type AuthPort,
  type Connector,
  isMcpError,
  type Logger,
  McpError,
  type ResolvedServer,
  redact,
  type Session,
  silentLogger,
  thrownText,
} from "@jackfield/mcp-core";
import { nodeUtil } from "./builtin-modules.ts";

/** How many resolutions of a server are remembered for each user: an error may contain a value that was renewed since. */
const REMEMBERED_RESOLUTIONS = 4;

/** Passed on unchanged: a subscriber identifies the resource by the URI it asked for, even if that holds a secret. */
const RESOURCE_UPDATED = "notifications/resources/updated";

/** Keeps values that were filled into definitions out of everything that the runtime shows. */
export interface Secrecy {
  /**
   * Records the values that one resolution of a server filled in, and for which principal. Those of a principal that is not admitted are
   * dropped.
   */
  recordSecrets(server: string, values: readonly string[], principal?: string): void;
  /**
   * Admits a principal for whom servers are reached, and returns a function that ends the admission. When the last admission of a principal
   * ends, its values are forgotten.
   */
  admit(principal: string | undefined): () => void;
  /** Whether any values are remembered. */
  hasSecrets(): boolean;
  /** The data without the values, in any of their spellings. */
  hideIn<T>(data: T): T;
  /** A copy without the values, or the error itself if it contains none. */
  hiddenErrorOf(error: unknown): unknown;
  readonly log: Logger;
  /**
   * The same connector; errors, notifications and self-descriptions of servers contain none of the values. It also records the credentials
   * that `auth` returns during a session.
   */
  protect(connect: Connector): Connector;
}

/** @param log - where the runtime says what it does */
export function createSecrecy(log: Logger | undefined): Secrecy {
  /** By principal, and then by what the values were filled into. */
  const resolutions = new Map<string | undefined, Map<string, (readonly string[])[]>>();
  /** The number of admissions by principal. */
  const admissions = new Map<string | undefined, number>();
  /** Of all remembered values; `undefined` until needed, so that a thousand users in a row do not compute them each time. */
  let spellings: readonly string[] | undefined = [];
  const knownSpellings = () => {
    const values = new Set([...resolutions.values()].flatMap((bySubject) => [...bySubject.values()].flat(2)));
    spellings ??= [...new Set([...values].flatMap(secretSpellings))];
    return spellings;
  };

  const hide = (text: string) => redact(text, knownSpellings());
  const hasSecrets = () => resolutions.size > 0;
  const hideIn = <T>(data: T): T => (hasSecrets() ? (hiddenIn(data, hide) as T) : data);
  // Inspecting an error takes milliseconds, and without values there is nothing to find.
  const hiddenErrorOf = (error: unknown) => (hasSecrets() ? hiddenError(error, hide) : error);
  const rethrow = (error: unknown): never => {
    throw hiddenErrorOf(error);
  };

  const record = (
    principal: string | undefined,
    into: readonly string[],
    values: readonly string[],
  ): void => {
    if (values.length === 0) return;
    // A resolver may finish after its principal has left; then nothing would ever remove the values.
    if (principal !== undefined && !admissions.has(principal)) return;
    const subject = JSON.stringify(into);
    const own = resolutions.get(principal) ?? new Map<string, (readonly string[])[]>();
    const earlier = own.get(subject) ?? [];
    const same = earlier.find((one) => isSameList(one, values));
    // A repeated list moves to the end: lists that alternate must not push out rare ones.
    const others = earlier.filter((one) => one !== same);
    own.set(subject, [...others, values].slice(-REMEMBERED_RESOLUTIONS));
    resolutions.set(principal, own);
    if (same === undefined) spellings = undefined;
  };
  /** Kept apart from later resolutions, as for a login or the catalog: a session still uses the values it was opened with. */
  const recordConnected = ({ name, secrets }: ResolvedServer, principal: string | undefined): void => {
    const recorded = resolutions.get(principal)?.get(JSON.stringify([name])) ?? [];
    const whole = recorded.findLast((values) => secrets.every((secret) => values.includes(secret)));
    record(principal, [name, "connected"], whole ?? secrets);
  };
  const forget = (principal: string | undefined): void => {
    admissions.delete(principal);
    if (resolutions.delete(principal)) spellings = undefined;
  };
  // Kept apart from the entry's values: tokens are renewed more often, and would push those out.
  const withRecordedCredentials = (auth: AuthPort, principal: string | undefined) =>
    withReportedHeaders(auth, (server, values) => record(principal, [server, "auth"], values));

  return {
    recordSecrets: (server, values, principal) => record(principal, [server], values),
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
    hasSecrets,
    hideIn,
    hiddenErrorOf,
    log:
      log === undefined
        ? silentLogger
        : (level, message, fields) => logSafely(log, level, hide(message), fields && hideIn(fields)),
    protect: (connect) => async (server, options) => {
      recordConnected(server, options.principal);
      const auth = options.auth && withRecordedCredentials(options.auth, options.principal);
      const session = await connect(server, { ...options, auth }).catch(rethrow);
      return protectSession(session, { rethrow, hideIn, hiddenErrorOf });
    },
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

interface Protection {
  rethrow(error: unknown): never;
  hideIn<T>(data: T): T;
  hiddenErrorOf(error: unknown): unknown;
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
      onValues(server.name, [...new Set([...values, ...values.map((value) => value.replace(SCHEME, ""))])]);
      return headers;
    },
    onChallenge: (...challenge) => auth.onChallenge(...challenge),
  };
}

/** A host in plain JavaScript may return other values than strings. The transport judges those that are not sent as text. */
function isSent(value: unknown): boolean {
  return ["string", "number", "bigint", "boolean"].includes(typeof value);
}

/** As in `Bearer x`. */
const SCHEME = /^[A-Za-z][\w-]*\s+(?=\S+$)/;

/** The same session, with values hidden in its errors, notifications, `serverInfo` and `instructions`. */
function protectSession(session: Session, { rethrow, hideIn, hiddenErrorOf }: Protection): Session {
  let known: Session["handshake"] | undefined;
  let shown = session.handshake;
  return {
    get handshake() {
      if (known === session.handshake) return shown;
      known = session.handshake;
      // Capabilities and `prior` are for programs, which connect by them, so they stay unchanged.
      const { serverInfo, instructions } = known;
      shown = { ...known, serverInfo: hideIn(serverInfo), instructions: hideIn(instructions) };
      return shown;
    },
    list: (kind, options) => session.list(kind, options).catch(rethrow),
    request: (method, params, options) => session.request(method, params, options).catch(rethrow),
    onNotification: (listener) =>
      session.onNotification((notification) =>
        listener(notification.method === RESOURCE_UPDATED ? notification : hideIn(notification)),
      ),
    onRenewed: (listener) => session.onRenewed(listener),
    onClose: (listener) => session.onClose((cause) => listener(cause && (hiddenErrorOf(cause) as McpError))),
    close: () => session.close(),
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

/** The error itself if printing it would show none of the values, else a copy without them. */
function hiddenError(error: unknown, hide: (text: string) => string): unknown {
  const printed = nodeUtil.inspect(error, { depth: 10, showHidden: true, maxStringLength: null });
  if (hide(printed) === printed) return error;
  const details = isMcpError(error) ? error.toJSON() : undefined;
  if (details === undefined) return new McpError("MCP_INTERNAL", hide(thrownText(error)));
  const { code, message, ...rest } = details;
  return new McpError(code, hide(message), hiddenIn(rest, hide) as typeof rest);
}

/** Hides in all strings within lists and plain objects, and in names of members. */
function hiddenIn(data: unknown, hide: (text: string) => string): unknown {
  if (typeof data === "string") return hide(data);
  if (typeof data !== "object" || data === null) return data;
  if (Array.isArray(data)) return data.map((element) => hiddenIn(element, hide));
  if (data instanceof Error) return hiddenError(data, hide);
  const prototype: unknown = Object.getPrototypeOf(data);
  if (prototype !== Object.prototype && prototype !== null) return data;
  const members = Object.entries(data).map(([name, member]) => [hide(name), hiddenIn(member, hide)] as const);
  return Object.fromEntries(members);
}
