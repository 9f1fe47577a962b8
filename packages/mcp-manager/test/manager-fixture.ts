import type { ToolDefinition } from "@jackfield/mcp-core";
import {
  createFakeConnector,
  createFakeSession,
  type FakeConnector,
  type FakeSession,
  passThroughResolver,
  stdioDefinition,
} from "@jackfield/test-kit";
import {
  type ConfiguredServer,
  createMcpManager,
  type McpManager,
  type McpManagerOptions,
} from "../src/index.ts";

export function tool(name: string, overrides: Partial<ToolDefinition> = {}): ToolDefinition {
  return { name, description: `does ${name}`, inputSchema: { type: "object" }, ...overrides };
}

export interface Fixture {
  readonly manager: McpManager;
  readonly connector: FakeConnector;
  /** The latest session of each server; empty with `byHand`. */
  readonly sessions: Map<string, FakeSession>;
}

/** A manager whose servers open at once, unless `byHand`, and offer `tools`. */
export function createFixture(
  servers: readonly (string | ConfiguredServer)[],
  options: Partial<McpManagerOptions> & {
    readonly tools?: readonly ToolDefinition[];
    readonly byHand?: boolean;
  } = {},
): Fixture {
  const { tools = [tool("echo")], byHand = false, ...managerOptions } = options;
  const sessions = new Map<string, FakeSession>();
  const connector = createFakeConnector({
    onAttempt: (attempt) => {
      if (!byHand) sessions.set(attempt.server.name, attempt.open(createFakeSession({ tools })));
    },
  });
  const manager = createMcpManager({
    servers: servers.map((server) => (typeof server === "string" ? stdioDefinition(server) : server)),
    connect: connector.connect,
    resolve: passThroughResolver,
    retry: { jitter: "none" },
    ...managerOptions,
  });
  return { manager, connector, sessions };
}

export function only<T>(values: Iterable<T>): T {
  const [value, ...rest] = values;
  if (value === undefined || rest.length > 0) throw new Error("expected exactly one value");
  return value;
}
