import {
  type ConnectOptions,
  type Connector,
  createDeadline,
  credentialsInText,
  DEFAULT_LIMITS,
  type Implementation,
  type Logger,
  McpError,
  type ResolvedServer,
  type Session,
  thrownText,
} from "@jackfield/mcp-core";
import type { Channel, ChannelFacts } from "./channel.ts";
import { ChannelFault } from "./channel-fault.ts";
import { httpStatusOf, readFailure } from "./errors/failure.ts";
import { openingError } from "./errors/opening-error.ts";
import { redactorOf } from "./errors/wording.ts";
import { type ConnectionPools, createConnectionPools } from "./http/connection-pools.ts";
import type { HttpOptionsSource } from "./http/http-options.ts";
import { openInProcess } from "./openers/in-process.ts";
import type { OpenerTools } from "./openers/opener.ts";
import { openHttp, openSse } from "./openers/remote.ts";
import { openStdio } from "./openers/stdio.ts";
import { Connection, type ConnectionListener } from "./protocol/connection.ts";
import { negotiate, type RemoteTransport } from "./protocol/era.ts";
import { completeLimits } from "./protocol/lists.ts";
import { ServerRequests } from "./protocol/server-requests.ts";
import { ProtocolSession } from "./protocol/session.ts";
import { callListener, SessionListeners } from "./protocol/session-listeners.ts";
import { createProcessTreeRegistry, type ProcessTreeRegistry } from "./stdio/process-tree-registry.ts";

const DEFAULT_CLOSE_TIMEOUT_MS = 5_000;

/** Options of `createConnector`. */
export interface ConnectorOptions {
  /** The name and version that the client announces. Default: `jackfield` and this package's version. */
  readonly clientInfo?: Implementation | undefined;
  /** How remote servers are reached: proxy, TLS keys, or the host's own `fetch`. A function chooses for each server. */
  readonly http?: HttpOptionsSource | undefined;
}

/**
 * Creates the connector for stdio, Streamable HTTP, the older HTTP+SSE and in-process servers. The SDK is loaded only to judge an item of a
 * list that is not as usual. While a child process runs, the connector listens to `exit` and to SIGINT, SIGTERM and SIGHUP, so that no
 * server outlives the host. A host that handles these signals itself is not disturbed.
 *
 * The connector throws `McpError`: `MCP_CONNECT_FAILED`, `MCP_CONNECT_TIMEOUT`, `MCP_COMMAND_NOT_FOUND`, `MCP_SERVER_EXITED`,
 * `MCP_HANDSHAKE_FAILED`, `MCP_CONFIG_INVALID` (for example an invalid working directory or URL), `MCP_PROTOCOL_VIOLATED`,
 * `MCP_PROTOCOL_UNSUPPORTED`, `MCP_LIMIT_EXCEEDED`, `MCP_AUTH_REQUIRED`, `MCP_TRANSPORT_UNSUPPORTED` or `MCP_ABORTED`.
 */
export function createConnector(options: ConnectorOptions = {}): Connector {
  const shared: Shared = { registry: createProcessTreeRegistry(), pools: createConnectionPools() };
  return (server, connectOptions) => openSession(server, connectOptions, options, shared);
}

/** What the sessions of one connector have in common. */
interface Shared {
  readonly registry: ProcessTreeRegistry;
  readonly pools: ConnectionPools;
}

async function openSession(
  server: ResolvedServer,
  connectOptions: ConnectOptions,
  { clientInfo: ownInfo, http }: ConnectorOptions,
  shared: Shared,
): Promise<Session> {
  const clientInfo = ownInfo ?? DEFAULT_CLIENT_INFO;
  const connectTimeoutMs = server.limits?.connectTimeoutMs ?? DEFAULT_LIMITS.connectTimeoutMs;
  const { signal, prior, handlers: hostHandlers = {}, auth, principal } = connectOptions;
  let channel: Channel | undefined;
  let probeStatus: number | undefined;
  // Errors of the host's functions before a channel exists may contain the server's URL.
  const known: ChannelFacts = "url" in server ? { secrets: credentialsInText(server.url) } : {};
  const facts = () => channel?.facts() ?? known;
  const log: Logger = (level, message, fields) => {
    const redactor = redactorOf(server, facts().secrets);
    callListener(() => connectOptions.log(level, redactor.hide(message), redactor.hideIn(fields)));
  };
  const deadline = createDeadline({
    signal,
    timeoutMs: connectTimeoutMs,
    aborted: (cause) => new ChannelFault({ kind: "aborted" }, { cause }),
    expired: () => new ChannelFault({ kind: "deadline-expired" }),
  });
  try {
    deadline.signal.throwIfAborted();
    const maxMessageBytes = server.limits?.maxMessageBytes ?? DEFAULT_LIMITS.maxMessageBytes;
    const { closeTimeoutMs = DEFAULT_CLOSE_TIMEOUT_MS } = connectOptions;
    const tools = { ...shared, http, auth, maxMessageBytes, connectTimeoutMs, closeTimeoutMs, log };
    const listeners = new SessionListeners({ server: server.name, log });
    const handlers = { base: hostHandlers, principal };
    const questions = new ServerRequests({ server: server.name, handlers, log });
    const listener: ConnectionListener = {
      onServerMessage: (message, stream) => {
        if ("id" in message || message.method === "notifications/cancelled") questions.take(message, stream);
        else listeners.tellNotification({ method: message.method, params: message.params });
      },
      onEnd: () => questions.connection?.end(undefined),
    };
    const onStrayAnswer = createStrayAnswerLog({ server: server.name, log });
    const onProblem = (error: Error) =>
      log("debug", "The connection reported a problem.", { server: server.name, error: thrownText(error) });
    const limits = completeLimits(server.limits);
    const negotiated = await negotiate({
      server,
      clientInfo,
      handlers: hostHandlers,
      prior,
      connectTimeoutMs,
      deadline,
      openChannel: (transport) => openChannel(server, tools, transport),
      onChannel: (opened) => {
        channel = opened;
      },
      onProbeRefused: (error) => {
        probeStatus = httpStatusOf(readFailure(error));
      },
      createConnection: ({ transport }) => {
        const connection = new Connection({ transport, limits, listener, onStrayAnswer, onProblem });
        questions.connection = connection;
        return connection;
      },
    });
    return new ProtocolSession({ server, negotiated, handlers: hostHandlers, questions, listeners, log });
  } catch (error) {
    throw openingError(error, { server, facts: facts(), connectTimeoutMs, probeStatus });
  } finally {
    deadline[Symbol.dispose]();
  }
}

/** Opens each transport with its own opener. A remote server may turn out to speak another one than its entry says. */
function openChannel(
  server: ResolvedServer,
  tools: OpenerTools,
  transport: RemoteTransport | undefined,
): Promise<Channel> {
  switch (server.transport) {
    case "stdio":
      return openStdio(server, tools);
    case "in-process":
      return openInProcess(server, tools);
    case "http":
    case "sse":
      return transport === "sse" ? openSse(server, tools) : openHttp(server, tools);
    default:
      throw unsupportedError(server);
  }
}

function unsupportedError(server: never): McpError {
  const { name, transport } = server as ResolvedServer;
  return new McpError(
    "MCP_TRANSPORT_UNSUPPORTED",
    `Server "${name}" uses the transport "${transport}". This connector opens stdio, http, sse and in-process.`,
    { server: name, phase: "handshake" },
  );
}

/** Inserted at build time: reading `package.json` would make every connection wait for a file. */
declare const PACKAGE_VERSION: string | undefined;

/** The version of unbuilt sources. Every release is built. */
const UNBUILT_VERSION = "0.0.0-source";

/** The client's name and version if the host sets none. */
const DEFAULT_CLIENT_INFO: Implementation = {
  name: "jackfield",
  version: typeof PACKAGE_VERSION === "undefined" ? UNBUILT_VERSION : PACKAGE_VERSION,
};

/**
 * Counts answers to no pending request: late ones, second ones, ones with an id that was never sent. They are logged when
 * their number reaches 1, 10, 100 and so on, so that a server cannot fill the log with them.
 */
function createStrayAnswerLog({
  server,
  log,
}: {
  readonly server: string;
  readonly log: Logger;
}): () => void {
  let count = 0;
  let nextReport = 1;
  return () => {
    count += 1;
    if (count < nextReport) return;
    nextReport *= 10;
    log("debug", "The server sent answers to no pending request; they are ignored.", { server, count });
  };
}
