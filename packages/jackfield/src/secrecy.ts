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

/** So many resolutions of one server, for each user, are remembered: an error may tell of a value that has been renewed meanwhile. */
const REMEMBERED_RESOLUTIONS = 4;

/** Whoever hears it knows the resource by the name under which he asked for it, whatever that holds. */
const RESOURCE_UPDATED = "notifications/resources/updated";

/** Keeps what was filled into definitions out of everything that the runtime shows. */
export interface Secrecy {
  /** Told of the values that one resolution of a server has filled in; `principal`: for whom. Nothing is kept for one who is not there. */
  learn(server: string, values: readonly string[], principal?: string): void;
  /**
   * Somebody is there for whom servers are reached. Returns what says that he has gone: what was filled in for a principal is forgotten
   * when nobody of that name is there any more.
   */
  admit(principal: string | undefined): () => void;
  /** Whether anything was filled in that could be shown. */
  hasSecrets(): boolean;
  /** Data without the values, however they are written. */
  hideIn<T>(data: T): T;
  /** The error itself if none of the values is in it. */
  hiddenErrorOf(error: unknown): unknown;
  readonly log: Logger;
  /**
   * The same connector, whose errors and whose sessions hold none of the values in what they tell of a server. The credentials that it is
   * handed while a session lasts are learnt as well.
   */
  protect(connect: Connector): Connector;
}

/** @param log - where the runtime says what it does */
export function createSecrecy(log: Logger | undefined): Secrecy {
  /** By principal, and then by what the values were filled into. */
  const resolutions = new Map<string | undefined, Map<string, (readonly string[])[]>>();
  /** How many are there of each name. */
  const present = new Map<string | undefined, number>();
  /** Of all values that are remembered; `undefined` until somebody needs them, because a thousand users come one after the other. */
  let spellings: readonly string[] | undefined = [];
  const known = () => {
    const values = new Set([...resolutions.values()].flatMap((known) => [...known.values()].flat(2)));
    spellings ??= [...new Set([...values].flatMap(secretSpellings))];
    return spellings;
  };

  const hide = (text: string) => redact(text, known());
  const hasSecrets = () => resolutions.size > 0;
  const hideIn = <T>(data: T): T => (hasSecrets() ? (hiddenIn(data, hide) as T) : data);
  // To look into an error takes milliseconds, and where nothing was filled in there is nothing to find.
  const hiddenErrorOf = (error: unknown) => (hasSecrets() ? hiddenError(error, hide) : error);
  const rethrow = (error: unknown): never => {
    throw hiddenErrorOf(error);
  };

  const remember = (
    principal: string | undefined,
    into: readonly string[],
    values: readonly string[],
  ): void => {
    if (values.length === 0) return;
    // A resolver may end after whoever it was for has gone, and nobody would come who has it forgotten.
    if (principal !== undefined && !present.has(principal)) return;
    const subject = JSON.stringify(into);
    const own = resolutions.get(principal) ?? new Map<string, (readonly string[])[]>();
    const earlier = own.get(subject) ?? [];
    const same = earlier.find((one) => isSameList(one, values));
    // What comes again is as good as new: lists that take turns must not push out those that come seldom.
    const others = earlier.filter((one) => one !== same);
    own.set(subject, [...others, values].slice(-REMEMBERED_RESOLUTIONS));
    resolutions.set(principal, own);
    if (same === undefined) spellings = undefined;
  };
  /** Apart from what is resolved later, as for a login or for the catalog: a session goes on with what it was opened with. */
  const hold = ({ name, secrets }: ResolvedServer, principal: string | undefined): void => {
    const learnt = resolutions.get(principal)?.get(JSON.stringify([name])) ?? [];
    const whole = learnt.findLast((values) => secrets.every((secret) => values.includes(secret)));
    remember(principal, [name, "connected"], whole ?? secrets);
  };
  const forget = (principal: string | undefined): void => {
    present.delete(principal);
    if (resolutions.delete(principal)) spellings = undefined;
  };
  // Apart from what the entry was given: tokens are renewed more often, and would have that forgotten.
  const following = (auth: AuthPort, principal: string | undefined) =>
    learningFrom(auth, (server, values) => remember(principal, [server, "auth"], values));

  return {
    learn: (server, values, principal) => remember(principal, [server], values),
    admit(principal) {
      present.set(principal, (present.get(principal) ?? 0) + 1);
      let isPresent = true;
      return () => {
        if (!isPresent) return;
        isPresent = false;
        const others = (present.get(principal) ?? 0) - 1;
        if (others > 0) present.set(principal, others);
        else forget(principal);
      };
    },
    hasSecrets,
    hideIn,
    hiddenErrorOf,
    log:
      log === undefined
        ? silentLogger
        : (level, message, fields) => tell(log, level, hide(message), fields && hideIn(fields)),
    protect: (connect) => async (server, options) => {
      hold(server, options.principal);
      const auth = options.auth && following(options.auth, options.principal);
      const session = await connect(server, { ...options, auth }).catch(rethrow);
      return protectSession(session, { rethrow, hideIn, hiddenErrorOf });
    },
  };
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}

/** A logger must not fail. One that does, at once or later, disturbs nobody: there is nobody left to tell. */
function tell(log: Logger, ...line: Parameters<Logger>): void {
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

/** The same port, which tells what it answers: each header's value, and what of it follows a scheme, for servers repeat both. */
function learningFrom(auth: AuthPort, learn: (server: string, values: readonly string[]) => void): AuthPort {
  return {
    async headers(server) {
      const headers = await auth.headers(server);
      const values = Object.values(headers).map(String);
      learn(server.name, [...new Set([...values, ...values.map((value) => value.replace(SCHEME, ""))])]);
      return headers;
    },
    onChallenge: (...challenge) => auth.onChallenge(...challenge),
  };
}

/** As in `Bearer x`. */
const SCHEME = /^[A-Za-z][\w-]*\s+(?=\S+$)/;

/** A session that answers as the other one does, save for what its errors, its notifications and its server say in words. */
function protectSession(session: Session, { rethrow, hideIn, hiddenErrorOf }: Protection): Session {
  let known: Session["handshake"] | undefined;
  let shown = session.handshake;
  return {
    get handshake() {
      if (known === session.handshake) return shown;
      known = session.handshake;
      // Capabilities and `prior` are for programs: what is connected by them has to be as it was said.
      const { serverInfo, instructions } = known;
      shown = { ...known, serverInfo: hideIn(serverInfo), instructions: hideIn(instructions) };
      return shown;
    },
    list: (kind, options) => session.list(kind, options).catch(rethrow),
    request: (method, params, options) => session.request(method, params, options).catch(rethrow),
    onNotification: (listener) =>
      session.onNotification((said) => listener(said.method === RESOURCE_UPDATED ? said : hideIn(said))),
    onRenewed: (listener) => session.onRenewed(listener),
    onClose: (listener) => session.onClose((cause) => listener(cause && (hiddenErrorOf(cause) as McpError))),
    close: () => session.close(),
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

/** The error itself if none of the values is in it, wherever somebody who prints it could find one. */
function hiddenError(error: unknown, hide: (text: string) => string): unknown {
  const printed = nodeUtil.inspect(error, { depth: 10, showHidden: true, maxStringLength: null });
  if (hide(printed) === printed) return error;
  const details = isMcpError(error) ? error.toJSON() : undefined;
  if (details === undefined) return new McpError("MCP_INTERNAL", hide(thrownText(error)));
  const { code, message, ...rest } = details;
  return new McpError(code, hide(message), hiddenIn(rest, hide) as typeof rest);
}

/** Strings wherever they are in lists and plain objects; names of members as well. */
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
