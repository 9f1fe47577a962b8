import type { OpenMcpOptions } from "jackfield";
import { TOOLS } from "./servers/answer.ts";

type Connector = Extract<OpenMcpOptions["connect"], (...given: never) => unknown>;
/** A session as a connector opens it. */
export type StubSession = Awaited<ReturnType<Connector>>;

/** Servers that cost nothing, so that what is measured is the runtime above them. */
export interface StubServers {
  readonly connect: Connector;
  /** The session of a server that was connected. */
  session(server: string): StubSession;
  /** What the server lists from now on: its tools, of which all but the first have another description. */
  change(server: string): void;
}

/** Entries for so many servers. Nobody starts their command. */
export function stubEntries(count: number): Record<string, { command: string; args: string[] }> {
  const names = Array.from({ length: count }, (_, index) => `server-${index + 1}`);
  return Object.fromEntries(names.map((name) => [name, { command: "bench-stub", args: [name] }]));
}

export function createStubServers(): StubServers {
  const sessions = new Map<string, StubSession>();
  const revisions = new Map<string, number>();
  return {
    connect: async ({ name }) => {
      const opened = openStub(() => revisions.get(name) ?? 0);
      sessions.set(name, opened);
      return opened;
    },
    session(server) {
      const session = sessions.get(server);
      if (session === undefined) throw new Error(`Server "${server}" was not connected.`);
      return session;
    },
    change: (server) => void revisions.set(server, (revisions.get(server) ?? 0) + 1),
  };
}

/** Servers that never come up. */
export const connectNever: Connector = (_server, { signal }) =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

function openStub(revision: () => number): StubSession {
  const answered = Promise.resolve({ content: [] });
  const ended = new Set<() => void>();
  const close = async () => {
    for (const listener of ended) listener();
    ended.clear();
  };
  const stub = {
    handshake: {
      era: "modern",
      protocolVersion: "2026-07-28",
      capabilities: { tools: {} },
      prior: { era: "modern", at: Date.now(), discover: {} },
    },
    list: async () => ({ items: toolsOf(revision()) }),
    request: () => answered,
    onNotification: () => () => {},
    onRenewed: () => () => {},
    onClose(listener: () => void) {
      ended.add(listener);
      return () => ended.delete(listener);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  return stub as unknown as StubSession; // It answers every request alike, whatever its method.
}

function toolsOf(revision: number): unknown[] {
  const tools = structuredClone(TOOLS);
  if (revision === 0) return tools;
  return tools.map((tool, index) => (index === 0 ? tool : { ...tool, description: `revision ${revision}` }));
}
