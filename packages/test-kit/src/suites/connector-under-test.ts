import { AsyncLocalStorage } from "node:async_hooks";
import {
  type ConnectOptions,
  type Connector,
  type JsonObject,
  type McpError,
  type ResolvedServer,
  type ServerLimits,
  type Session,
  silentLogger,
} from "@jackfield/mcp-core";
import { aroundEach, expect, vi } from "vitest";
import type { ConversationScript } from "../servers/fault-script.ts";

/** A message that the server received. */
export interface ReceivedMessage {
  readonly method?: string | undefined;
  readonly params?: unknown;
}

/** A connector and a server it can connect to, made for one test. */
export interface ConnectorUnderTest {
  readonly connector: Connector;
  /** A server that follows the script, for any number of consecutive connections. */
  readonly server: ResolvedServer;
  /** Everything the server has received so far, in order of arrival. */
  received(): readonly ReceivedMessage[];
  /**
   * Makes the server end the session for good: its process dies, it hangs up, or it forgets the session and refuses the next
   * attempt to renew it. Later connections are served.
   */
  lose(): void | Promise<void>;
  /** Makes the server forget the session and go on. Required if sessions are renewed; see `renewsSessions`. */
  forget?(): void | Promise<void>;
  /** Releases what was opened for the server. The sessions are closed by then. */
  dispose(): Promise<void>;
}

/** Makes a connector and a server that follows the script. */
export type OpenConnectorUnderTest = (script: ConversationScript) => Promise<ConnectorUnderTest>;

/** A connector under test with an open session. */
export interface OpenedSession extends ConnectorUnderTest {
  readonly session: Session;
}

/** The connect options and limits that a test overrides. */
export interface ConnectChanges extends Partial<ConnectOptions> {
  readonly limits?: ServerLimits | undefined;
}

/** The functions with which the suite's tests connect. Everything they open is closed when the test ends. */
export interface ConnectorBench {
  prepare(script?: ConversationScript): Promise<ConnectorUnderTest>;
  connect(subject: ConnectorUnderTest, changes?: ConnectChanges): Promise<Session>;
  open(script?: ConversationScript, changes?: ConnectChanges): Promise<OpenedSession>;
}

/** A signal that never fires. */
export const never: AbortSignal = new AbortController().signal;

/** How long a test polls for a message to arrive at the server. */
const ARRIVAL_MS = 10_000;

/** Creates a bench for servers of the given era. Call it where tests are registered. */
export function createConnectorBench(era: "legacy" | "modern", make: OpenConnectorUnderTest): ConnectorBench {
  const cleanups = useCleanups();
  const bench: ConnectorBench = {
    async prepare(script = {}) {
      const subject = await make({ era, ...script });
      cleanups().push(() => subject.dispose());
      return subject;
    },
    async connect({ connector, server }, { limits, ...options } = {}) {
      const session = await connector(
        { ...server, limits: { ...server.limits, ...limits } },
        { signal: never, log: silentLogger, ...options },
      );
      cleanups().push(() => session.close());
      return session;
    },
    async open(script, changes) {
      const subject = await bench.prepare(script);
      return { ...subject, session: await bench.connect(subject, changes) };
    },
  };
  return bench;
}

type Cleanup = () => Promise<void>;

/** The running test's clean-ups, run in reverse order when it ends. Concurrent tests have separate lists. */
function useCleanups(): () => Cleanup[] {
  const running = new AsyncLocalStorage<Cleanup[]>();
  aroundEach(async (runTest) => {
    const cleanups: Cleanup[] = [];
    try {
      await running.run(cleanups, runTest);
    } finally {
      for (const cleanup of cleanups.reverse()) await cleanup();
    }
  });
  return () => running.getStore() ?? expect.fail("Nothing can be opened outside of a test.");
}

/** The error a promise is rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<McpError> {
  const error = await promise.then(
    () => expect.fail("It was expected to fail, and did not."),
    (reason: unknown) => reason,
  );
  expect(error).toHaveProperty("name", "McpError");
  return error as McpError;
}

/** The parameters of every message with this method that the server has received. */
export function paramsOf(subject: ConnectorUnderTest, method: string): readonly JsonObject[] {
  return subject
    .received()
    .filter((message) => message.method === method)
    .map(({ params }) => (params ?? {}) as JsonObject);
}

/** Waits until the server has received one of the methods; resolves with the parameters of the first such message. */
export function arrivalOf(subject: ConnectorUnderTest, ...methods: readonly string[]): Promise<JsonObject> {
  return vi.waitFor(
    () => {
      const [first] = methods.flatMap((method) => paramsOf(subject, method));
      if (!first) throw new Error(`The server has not received ${methods.join(" or ")}.`);
      return first;
    },
    { timeout: ARRIVAL_MS, interval: 10 },
  );
}
