import {
  type AuthPort,
  type CatalogEntry,
  type Connector,
  createTimeSlices,
  credentialsOfAuthorization,
  isMcpError,
  type KnownCredentials,
  type Logger,
  McpError,
  type ResolvedServer,
  type ResolveServer,
  type Session,
} from "@jackfield/mcp-core";

/**
 * `refused`: the values are not offered again. `doubted`: they may be, because the authorization server was down or busy, so it is unknown
 * whether they or a token was refused.
 */
type Suspicion = "refused" | "doubted";

export interface ServerValuesOptions {
  readonly resolve: ResolveServer;
  readonly connect: Connector;
  readonly credentials: KnownCredentials;
  readonly log: Logger;
}

/**
 * The values by which servers are reached, for the managers of all users: asks for others when a server has refused them, and keeps the
 * credentials among them out of errors and the catalog.
 */
export class ServerValues {
  readonly #options: ServerValuesOptions;
  /** By server and principal: a refusal for one user says nothing about another's values. */
  readonly #suspicions = new Map<string, Suspicion>();
  readonly #used = new WeakMap<Session, UsedValues>();
  /** The servers of which nothing is stored, each told once. */
  readonly #unstored = new Set<string>();

  constructor(options: ServerValuesOptions) {
    this.#options = options;
  }

  get credentials(): KnownCredentials {
    return this.#options.credentials;
  }

  /** Fills in a server's values; it is told if the server refused the last ones. */
  readonly resolve: ResolveServer = (definition, options) => {
    const subject = subjectOf(definition.name, options.principal);
    const suspicion = this.#suspicions.get(subject);
    this.#suspicions.delete(subject);
    const news =
      suspicion === undefined ? {} : suspicion === "refused" ? { rejected: true } : { doubted: true };
    return this.#options.resolve(definition, { ...options, ...news });
  };

  /** Opens a session with these values. */
  readonly connect: Connector = async (server, options) => {
    const { connect, credentials } = this.#options;
    // Kept apart from later resolutions, as for a login or the catalog: a session still uses the values it was opened with.
    credentials.record(options.principal, [server.name, "connected"], server.secrets);
    const subject = subjectOf(server.name, options.principal);
    const suspect = (suspicion: Suspicion) => {
      if (suspicion === "refused" || !this.#suspicions.has(subject)) this.#suspicions.set(subject, suspicion);
    };
    const used = new UsedValues(server, { credentials, principal: options.principal, suspect });
    try {
      const session = await connect(server, { ...options, auth: options.auth && used.watch(options.auth) });
      this.#used.set(session, used);
      return session;
    } catch (error) {
      throw used.judge(error);
    }
  };

  /** The values with which a session was opened; `undefined` for one that is borrowed. */
  of(session: Session): UsedValues | undefined {
    return this.#used.get(session);
  }

  /** Whether an entry may be stored: not if it repeats a credential. It is stored as it is or not at all: a changed one would be another tool. */
  mayStore(entry: CatalogEntry): true | Promise<boolean> {
    return this.credentials.isEmpty || this.#repeatsNone(entry);
  }

  async #repeatsNone(entry: CatalogEntry): Promise<boolean> {
    const { credentials, log } = this.#options;
    const { server } = entry;
    if (!(await holdsCredential(entry, credentials))) return true;
    const message =
      "What the server offers is not stored in the catalog, because it repeats a credential of its entry.";
    if (!this.#unstored.has(server)) log("warn", message, { server });
    this.#unstored.add(server);
    return false;
  }
}

function subjectOf(server: string, principal: string | undefined): string {
  return JSON.stringify([server, principal]);
}

/** Looks through an entry in slices: it may have thousands of tools. */
async function holdsCredential(entry: CatalogEntry, credentials: KnownCredentials): Promise<boolean> {
  const slices = createTimeSlices();
  for (const part of Object.values(entry).flat()) {
    if (part !== undefined && credentials.finds(JSON.stringify(part))) return true;
    if (slices.isOver()) await slices.next();
  }
  return false;
}

interface UsedValuesOptions {
  readonly credentials: KnownCredentials;
  readonly principal: string | undefined;
  /** Remembers what the next resolution is told. */
  readonly suspect: (suspicion: Suspicion) => void;
}

/** The values of one attempt to connect, and of its session. */
export class UsedValues {
  readonly #server: ResolvedServer;
  readonly #options: UsedValuesOptions;
  /** The retryable error that kept the credentials from meeting the last 401, if any. */
  #unmet: McpError | undefined;
  /** The refusal after which the session has to end, because the next one gets other values. */
  refusal: unknown;

  constructor(server: ResolvedServer, options: UsedValuesOptions) {
    this.#server = server;
    this.#options = options;
  }

  /** The same credentials. What they return is hidden from now on; it is renewed more often than the entry's values, and kept apart. */
  watch(auth: AuthPort): AuthPort {
    const { credentials, principal } = this.#options;
    return {
      headers: async (server, asked) => {
        const headers = await auth.headers(server, asked);
        const values = Object.values(headers).flat().filter(isSent).map(String);
        // Each value, and the part after a scheme, because servers repeat both.
        const spellings = [...new Set(values.flatMap(credentialsOfAuthorization))];
        credentials.record(principal, [this.#server.name, "auth"], spellings);
        return headers;
      },
      onChallenge: async (server, challenge, asked) => {
        try {
          const verdict = await auth.onChallenge(server, challenge, asked);
          this.#unmet = undefined;
          return verdict;
        } catch (error) {
          const isUnmet = challenge.status === 401 && isMcpError(error) && error.retryable;
          this.#unmet = isUnmet ? error : undefined;
          throw error;
        }
      },
    };
  }

  /** Judges an error of the attempt or its session: remembers a refusal of the values. Returns the error without credentials. */
  judge<T>(error: T): T {
    const unmet = this.#unmet;
    if (isRefusal(error) || isSameError(unmet, error)) {
      this.#options.suspect(unmet !== undefined && isPassing(unmet) ? "doubted" : "refused");
      if (this.#server.renewable) this.refusal ??= error;
    }
    return this.#options.credentials.hideIn(error);
  }

  /** Why nothing is sent on a session whose values were refused. */
  refusedError(code: "MCP_AUTH_REQUIRED" | "MCP_SESSION_LOST"): McpError {
    const { name: server } = this.#server;
    const message = `Server ${JSON.stringify(server)} refused the credentials of the session (HTTP 401); the next session asks for new ones. Try again then.`;
    const cause = this.#options.credentials.hideIn(this.refusal);
    return new McpError(code, message, { server, phase: "call", outcome: "not-sent", cause });
  }
}

/** A host in plain JavaScript may return other values than strings. The transport judges those that are not sent as text. */
function isSent(value: unknown): boolean {
  return ["string", "number", "bigint", "boolean"].includes(typeof value);
}

/** A 403 refuses the request, not the credentials. A custom `AuthPort` may give no status. */
function isRefusal(error: unknown): boolean {
  if (!isMcpError(error)) return false;
  const { code, httpStatus } = error;
  return httpStatus === 401 || (httpStatus === undefined && code === "MCP_AUTH_REQUIRED");
}

/** Whether an error is that of a challenge. It need not be the same object. */
function isSameError(unmet: McpError | undefined, error: unknown): boolean {
  return isMcpError(error) && error.code === unmet?.code && error.httpStatus === unmet.httpStatus;
}

/** Statuses of a busy server. */
const BUSY: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Whether the retryable error behind an unanswered 401 is temporary, so that nothing judged the values. Other retryable errors can last for
 * ever. `isPassing` of mcp-auth (`errors.ts`) decides the same; that package is loaded only for logins.
 */
function isPassing({ code, httpStatus }: McpError): boolean {
  if (httpStatus !== undefined) return httpStatus >= 500 || BUSY.has(httpStatus);
  return code === "MCP_CONNECT_FAILED" || code === "MCP_CONNECT_TIMEOUT";
}
