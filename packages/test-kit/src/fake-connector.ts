import {
  type ConnectOptions,
  type Connector,
  McpError,
  type ResolvedServer,
  type Session,
} from "@jackfield/mcp-core";
import { createFakeSession, type FakeSession } from "./fake-session.ts";

/** One attempt to connect, which the test decides. */
export interface FakeAttempt {
  readonly server: ResolvedServer;
  readonly options: ConnectOptions;
  /** Whether its signal fired before the test decided; the attempt has then rejected with `MCP_ABORTED`. */
  readonly aborted: boolean;
  /** Lets the attempt succeed. After an abort the session is closed instead, as a real connector does. */
  open(session?: FakeSession): FakeSession;
  /** Lets the attempt fail. Has no effect after an abort. */
  fail(error: McpError): void;
}

/** Options of `createFakeConnector`. */
export interface FakeConnectorOptions {
  /** Called with each attempt as it begins, to decide it automatically. */
  readonly onAttempt?: ((attempt: FakeAttempt) => void) | undefined;
}

/** A connector without servers. */
export interface FakeConnector {
  readonly connect: Connector;
  /** All attempts, in the order they began. */
  readonly attempts: readonly FakeAttempt[];
  /** Returns the next attempt that this method has not returned yet; waits for one if there is none. */
  nextAttempt(): Promise<FakeAttempt>;
}

/** Makes a connector whose attempts are decided by the test. */
export function createFakeConnector(options: FakeConnectorOptions = {}): FakeConnector {
  const attempts: FakeAttempt[] = [];
  const unclaimed: FakeAttempt[] = [];
  const waiting: ((attempt: FakeAttempt) => void)[] = [];

  return {
    attempts,
    connect(server, connectOptions) {
      const { attempt, outcome } = beginAttempt(server, connectOptions);
      attempts.push(attempt);
      const claim = waiting.shift();
      if (claim) claim(attempt);
      else unclaimed.push(attempt);
      options.onAttempt?.(attempt);
      return outcome;
    },
    nextAttempt() {
      const attempt = unclaimed.shift();
      if (attempt) return Promise.resolve(attempt);
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}

type AttemptStatus = "pending" | "decided" | "aborted";

function beginAttempt(
  server: ResolvedServer,
  options: ConnectOptions,
): { attempt: FakeAttempt; outcome: Promise<Session> } {
  let status: AttemptStatus = "pending";
  let resolve: (session: Session) => void = () => {};
  let reject: (error: McpError) => void = () => {};
  const outcome = new Promise<Session>((onOpen, onFail) => {
    resolve = onOpen;
    reject = onFail;
  });

  const abort = () => {
    status = "aborted";
    reject(
      new McpError("MCP_ABORTED", `The attempt to connect "${server.name}" was given up.`, {
        server: server.name,
        phase: "handshake",
      }),
    );
  };
  /** Returns false after an abort. A second decision is a mistake in the test. */
  const decide = (): boolean => {
    if (status === "aborted") return false;
    if (status === "decided") throw new Error(`The attempt to connect "${server.name}" was decided twice.`);
    status = "decided";
    options.signal.removeEventListener("abort", abort);
    return true;
  };

  if (options.signal.aborted) abort();
  else options.signal.addEventListener("abort", abort, { once: true });

  const attempt: FakeAttempt = {
    server,
    options,
    get aborted() {
      return status === "aborted";
    },
    open(session = createFakeSession()) {
      if (decide()) resolve(session);
      else void session.close();
      return session;
    },
    fail(error) {
      if (decide()) reject(error);
    },
  };
  return { attempt, outcome };
}
