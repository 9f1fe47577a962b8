import {
  type Connector,
  type Logger,
  ownCredentials,
  type ResolvedStdioServer,
  type Session,
  silentLogger,
  type ToolCache,
} from "@jackfield/mcp-core";
import type { ConnectorOptions } from "@jackfield/mcp-transports";
import type { Mcp } from "../mcp.ts";
import { openMcp } from "../open-mcp.ts";
import type { OpenMcpOptions } from "../open-mcp-options.ts";
import { createLateConnector } from "../transports.ts";
import { type Activities, createActivities, watchConnector } from "./activities.ts";
import type { CommonArguments } from "./arguments.ts";
import { showProgress } from "./progress-lines.ts";
import type { Terminal } from "./terminal.ts";

/** Where an entry has credentials that are sent in place of a login. */
export type OwnCredentials = NonNullable<ReturnType<typeof ownCredentials>>;

/** The runtime of one command, and what was seen while it was opened. */
export interface OpenedRuntime extends AsyncDisposable {
  readonly mcp: Mcp;
  /** The local servers that a connection was attempted to, with their values filled in. */
  readonly started: ReadonlyMap<string, ResolvedStdioServer>;
  /** Every attempt to connect. */
  readonly activities: Activities;
  /** By server: where its entry has credentials of its own. Known once a connection was attempted. */
  readonly credentials: ReadonlyMap<string, OwnCredentials>;
}

export interface OpenRuntimeOptions {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  /** Default: the one on disk that the arguments name. */
  readonly cache?: ToolCache | undefined;
  readonly startup?: OpenMcpOptions["startup"];
  /** Default: nothing is logged. The command shows what is wrong. */
  readonly log?: Logger | undefined;
  /** Hears what passes between this program and the servers, and sees each session that is opened. */
  readonly onTraffic?: ConnectorOptions["onTraffic"];
  readonly onSession?: ((session: Session) => void) | undefined;
}

/** The `openMcp` options for the common arguments. */
export function runtimeOptions(args: CommonArguments): OpenMcpOptions {
  return {
    servers: args.servers,
    configFiles: args.configFiles,
    cwd: args.cwd,
    discover: { hosts: args.hosts, maxFileBytes: args.maxFileBytes },
    resolve: { inputs: args.inputs },
    approval: { projectVariables: args.projectVariables },
    cache: { path: args.cache },
    ...(args.timeoutMs === undefined ? {} : { limits: { connectTimeoutMs: args.timeoutMs } }),
  };
}

/**
 * Opens the runtime as `openMcp` does by itself, but records each connection, so that the terminal shows what it waits for.
 *
 * @throws McpError as `openMcp` does
 */
export async function openRuntime(
  args: CommonArguments,
  { terminal, signal, startup, log = silentLogger, cache, onTraffic, onSession }: OpenRuntimeOptions,
): Promise<OpenedRuntime> {
  const activities = createActivities();
  const credentials = new Map<string, OwnCredentials>();
  const started = new Map<string, ResolvedStdioServer>();
  const late = createLateConnector({ onTraffic });
  const connector: Connector = async (...attempt) => {
    const session = await late(...attempt);
    onSession?.(session);
    return session;
  };
  // Lines that are redrawn do not mix with log lines.
  using _ = args.verbose ? undefined : showProgress(terminal.stderr, activities);
  const usual = runtimeOptions(args);
  const mcp = await openMcp({
    ...usual,
    connect: watchConnector(noteServers(connector, credentials, started), activities),
    cache: cache ?? usual.cache,
    startup,
    log,
    signal,
  });
  return { mcp, started, activities, credentials, [Symbol.asyncDispose]: () => mcp.close() };
}

/** The same connector, which records a server's own credentials and its command: they are known once its values are filled in. */
function noteServers(
  connect: Connector,
  noted: Map<string, OwnCredentials>,
  started: Map<string, ResolvedStdioServer>,
): Connector {
  return (server, options) => {
    if (server.transport === "stdio") started.set(server.name, server);
    const own = "headers" in server ? ownCredentials(server) : undefined;
    if (own === undefined) noted.delete(server.name);
    else noted.set(server.name, own);
    return connect(server, options);
  };
}
