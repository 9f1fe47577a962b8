import type { AuthPort } from "./auth-port.ts";
import type { PriorHandshake } from "./handshake.ts";
import type { HostHandlers } from "./host-handlers.ts";
import type { Logger } from "./logger.ts";
import type { ResolvedServer } from "./resolved-server.ts";
import type { Session } from "./session.ts";

/** What a connector is told besides the server. */
export interface ConnectOptions {
  /** Gives the attempt up; the connector's own deadline is the server's `connectTimeoutMs`. */
  readonly signal: AbortSignal;
  /** What an earlier handshake taught, if anything. */
  readonly prior?: PriorHandshake | undefined;
  /** As whom the server is reached, where one runtime serves several users. */
  readonly principal?: string | undefined;
  readonly handlers?: HostHandlers | undefined;
  readonly auth?: AuthPort | undefined;
  readonly log: Logger;
}

/**
 * Opens a session, or throws having cleaned up whatever it had opened. The port that transports implement.
 *
 * @throws McpError `MCP_CONFIG_INVALID` (a working directory or a URL that cannot be), `MCP_CONNECT_FAILED`,
 * `MCP_CONNECT_TIMEOUT`, `MCP_COMMAND_NOT_FOUND`, `MCP_SERVER_EXITED`, `MCP_LIMIT_EXCEEDED`, `MCP_PROTOCOL_VIOLATED`, `MCP_PROTOCOL_UNSUPPORTED`, `MCP_AUTH_REQUIRED`, `MCP_TRANSPORT_UNSUPPORTED` or `MCP_ABORTED`.
 */
export type Connector = (server: ResolvedServer, options: ConnectOptions) => Promise<Session>;
