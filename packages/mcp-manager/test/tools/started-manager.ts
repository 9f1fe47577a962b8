import type { ServerDefinition, ToolDefinition } from "@jackfield/mcp-core";
import {
  createFakeConnector,
  createFakeSession,
  type FakeAnswer,
  type FakeConnector,
  type FakeSession,
  passThroughResolver,
  stdioDefinition,
} from "@jackfield/test-kit";
import { createMcpManager, type McpManager, type McpManagerOptions } from "../../src/index.ts";

export interface StartedManager {
  readonly manager: McpManager;
  readonly connector: FakeConnector;
  /** The latest session of a server. */
  session(server: string): FakeSession;
}

export interface StartedManagerOptions extends Partial<Omit<McpManagerOptions, "servers">> {
  /** Beats the default of the fake session, which echoes. */
  readonly answer?: FakeAnswer;
}

/** A manager that is up, with servers that open at once, each with tools of its own. */
export async function startedManager(
  servers: ReadonlyMap<string | ServerDefinition, readonly ToolDefinition[]>,
  { answer, ...options }: StartedManagerOptions = {},
): Promise<StartedManager> {
  const definitions = [...servers.keys()].map((server) =>
    typeof server === "string" ? stdioDefinition(server) : server,
  );
  const tools = new Map([...servers.values()].map((listed, index) => [definitions[index]?.name, listed]));
  const sessions = new Map<string, FakeSession>();
  const connector = createFakeConnector({
    onAttempt: (attempt) => {
      const { name } = attempt.server;
      sessions.set(name, attempt.open(createFakeSession({ tools: tools.get(name) ?? [], answer })));
    },
  });
  const manager = createMcpManager({
    servers: definitions,
    connect: connector.connect,
    resolve: passThroughResolver,
    ...options,
  });
  await manager.start();
  return {
    manager,
    connector,
    session(server) {
      const session = sessions.get(server);
      if (session === undefined) throw new Error(`server "${server}" has no session`);
      return session;
    },
  };
}
