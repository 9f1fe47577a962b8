import {
  type ConnectOptions,
  type Connector,
  checkOptions,
  createDeadline,
  credentialsInText,
  type Implementation,
  type Logger,
  McpError,
  type OptionKind,
  optionEither,
  optionKinds,
  type ResolvedServer,
  type Session,
  thrownText,
} from "@jackfield/mcp-core";
import { readFailure, refusalOf } from "./errors/failure.ts";
import { openingError } from "./errors/opening-error.ts";
import { redactorOf } from "./errors/wording.ts";
import { TransportFault } from "./faults.ts";
import type { ConnectionPools } from "./http/connection-pools.ts";
import { openInProcess } from "./in-process.ts";
import { Connection, type ConnectionListener } from "./protocol/connection.ts";
import { negotiate, type RemoteTransport } from "./protocol/era.ts";
import { announcedCapabilities, type ClientExtensions } from "./protocol/handshake.ts";
import { completeLimits } from "./protocol/lists.ts";
import { ServerRequests } from "./protocol/server-requests.ts";
import { ProtocolSession } from "./protocol/session.ts";
import { callListener, SessionListeners } from "./protocol/session-listeners.ts";
import { StdioTransport } from "./stdio/stdio-transport.ts";
import type { ConnectionFacts, HttpOptionsSource, Transport, TransportTools } from "./transport.ts";

const DEFAULT_CLOSE_TIMEOUT_MS = 5_000;
const OPTIONS: Record<keyof ConnectorOptions, OptionKind> = {
  clientInfo: optionKinds.record,
  extensions: optionKinds.record,
  http: optionEither(optionKinds.record, optionKinds.callable),
  onTraffic: optionKinds.callable,
};

/** Something that passed between this program and a server. */
export interface Traffic {
  readonly server: string;
  /** Whose message it is; or that the server's process wrote a line to its standard error. */
  readonly from: "client" | "server" | "stderr";
  /** The message as JSON, or the line; without the credentials of the entry. */
  readonly text: string;
}

/** Options of `createConnector`. */
export interface ConnectorOptions {
  /** The name and version that the client announces. Default: `jackfield` and this package's version. */
  readonly clientInfo?: Implementation | undefined;
  /**
   * Extensions of the protocol that the program understands, announced to every server with the settings of each: servers may offer more
   * then, such as tools with a view for `"io.modelcontextprotocol/ui"`. Default: none.
   */
  readonly extensions?: ClientExtensions | undefined;
  /** How remote servers are reached: proxy, TLS keys, or the host's own `fetch`. A function chooses for each server. */
  readonly http?: HttpOptionsSource | undefined;
  /** Hears what passes, for a person who looks for a fault. Default: nobody. */
  readonly onTraffic?: ((traffic: Traffic) => void) | undefined;
}

/**
 * Creates the connector for stdio, Streamable HTTP, the older HTTP+SSE and in-process servers. The SDK is loaded only to judge an item of a
 * list that is not as usual. While a child process runs, the connector listens to `exit` and to SIGINT, SIGTERM and SIGHUP, so that no
 * server outlives the host. A host that handles these signals itself is not disturbed.
 *
 * The connector throws `McpError`: `MCP_CONNECT_FAILED`, `MCP_CONNECT_TIMEOUT`, `MCP_COMMAND_NOT_FOUND`, `MCP_SERVER_EXITED`,
 * `MCP_HANDSHAKE_FAILED`, `MCP_CONFIG_INVALID` (for example an invalid working directory or URL), `MCP_PROTOCOL_VIOLATED`,
 * `MCP_PROTOCOL_UNSUPPORTED`, `MCP_LIMIT_EXCEEDED`, `MCP_AUTH_REQUIRED`, `MCP_TRANSPORT_UNSUPPORTED` or `MCP_ABORTED`.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an option that does not exist or is of another type
 */
export function createConnector(options: ConnectorOptions = {}): Connector {
  checkOptions(options, OPTIONS);
  const shared: Shared = { pools: undefined, endingAnyway: new Set() };
  return (server, connectOptions) => openSession(server, connectOptions, options, shared);
}

/** What the sessions of a connector share. */
interface Shared {
  pools: ConnectionPools | undefined;
  readonly endingAnyway: Set<string>;
}

async function openSession(
  server: ResolvedServer,
  connectOptions: ConnectOptions,
  { clientInfo: ownInfo, extensions, http, onTraffic }: ConnectorOptions,
  shared: Shared,
): Promise<Session> {
  const clientInfo = ownInfo ?? DEFAULT_CLIENT_INFO;
  const limits = completeLimits(server.limits);
  const { connectTimeoutMs, maxMessageBytes } = limits;
  const { signal, prior, handlers = {}, principal, trace } = connectOptions;
  let transport: Transport | undefined;
  let probeStatus: number | undefined;
  // Errors of the host's functions before a transport exists may contain the server's URL.
  const known: ConnectionFacts = "url" in server ? { secrets: credentialsInText(server.url) } : {};
  const facts = () => transport?.facts() ?? known;
  const log: Logger = (level, message, fields) => {
    const redactor = redactorOf(server, facts().secrets);
    const named = { server: server.name, ...fields };
    callListener(() => connectOptions.log(level, redactor.hide(message), redactor.hideIn(named)));
  };
  const hear = (from: Traffic["from"], text: string) => {
    const shown = redactorOf(server, facts().secrets).hide(text);
    callListener(() => onTraffic?.({ server: server.name, from, text: shown }));
  };
  const onErrorLine = onTraffic && ((line: string) => hear("stderr", line));
  const onMessage =
    onTraffic && ((from: "client" | "server", message: object) => hear(from, JSON.stringify(message)));
  const deadline = createDeadline({
    signal,
    timeoutMs: connectTimeoutMs,
    aborted: (cause) => new TransportFault({ kind: "aborted" }, { cause }),
    expired: () => new TransportFault({ kind: "deadline-expired" }),
  });
  try {
    deadline.signal.throwIfAborted();
    const { closeTimeoutMs = DEFAULT_CLOSE_TIMEOUT_MS } = connectOptions;
    const tools: TransportTools = {
      ...connectOptions,
      ...{ http, maxMessageBytes, connectTimeoutMs, closeTimeoutMs, log, onErrorLine },
    };
    const listeners = new SessionListeners(log);
    const questions = new ServerRequests({ server: server.name, handlers, principal, log });
    const listener: ConnectionListener = {
      onServerMessage: (message, stream) => {
        if ("id" in message || message.method === "notifications/cancelled") questions.take(message, stream);
        else listeners.tellNotification({ method: message.method, params: message.params });
      },
      onEnd: () => questions.connection?.end(undefined),
    };
    // As their number reaches 1, 10, 100 and so on, so that a server cannot fill the log with them.
    const onStrayAnswer = (count: number) =>
      /^10*$/.test(String(count)) &&
      log("debug", "The server sent answers to no pending request; they are ignored.", { count });
    const onProblem = (error: Error) =>
      log("debug", "The connection reported a problem.", { error: thrownText(error) });
    const negotiated = await negotiate({
      server,
      clientInfo,
      capabilities: announcedCapabilities(handlers, extensions),
      prior,
      connectTimeoutMs,
      deadline,
      endingAnyway: shared.endingAnyway,
      openTransport: (kind, isPublic) =>
        openTransport(server, isPublic ? { ...tools, auth: undefined } : tools, shared, kind),
      onTransport: (opened) => {
        transport = opened;
      },
      onProbeRefused: (error) => {
        probeStatus = refusalOf(readFailure(error))?.status;
      },
      createConnection: (opened) => {
        const reports = { listener, onStrayAnswer, onProblem, onMessage };
        const connection = new Connection({ transport: opened, limits, trace, ...reports });
        questions.connection = connection;
        return connection;
      },
    });
    return new ProtocolSession({ server, limits, negotiated, handlers, questions, listeners, log });
  } catch (error) {
    throw openingError(error, { server, facts: facts(), connectTimeoutMs, probeStatus });
  } finally {
    deadline[Symbol.dispose]();
  }
}

/** A remote server may turn out to speak another transport than its entry says. */
async function openTransport(
  server: ResolvedServer,
  tools: TransportTools,
  shared: Shared,
  kind: RemoteTransport | undefined,
): Promise<Transport> {
  switch (server.transport) {
    case "stdio":
      return new StdioTransport(server, tools);
    case "in-process":
      return openInProcess(server);
    case "http":
    case "sse": {
      // Half of the package: a program whose servers are local does not load it.
      const { ConnectionPools, openRemote } = await import("./http/open-remote.ts");
      shared.pools ??= new ConnectionPools();
      return openRemote(server, tools, shared.pools, kind ?? "http");
    }
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
