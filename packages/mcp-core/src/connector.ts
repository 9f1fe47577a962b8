import type { AuthPort } from "./auth-port.ts";
import type { PriorHandshake } from "./handshake.ts";
import type { HostHandlers } from "./host-handlers.ts";
import type { Logger } from "./logger.ts";
import type { ResolvedServer } from "./resolved-server.ts";
import type { Session } from "./session.ts";

/** Options of a connection attempt. */
export interface ConnectOptions {
  /** Aborts the attempt. The connector's own deadline is the server's `connectTimeoutMs`. */
  readonly signal: AbortSignal;
  /** What an earlier handshake learned, if there was one. */
  readonly prior?: PriorHandshake | undefined;
  /** The user on whose behalf the server is reached, if one runtime serves several users. */
  readonly principal?: string | undefined;
  readonly handlers?: HostHandlers | undefined;
  readonly auth?: AuthPort | undefined;
  readonly log: Logger;
}

/**
 * Opens a session, or throws after releasing whatever it had opened. The port that transports implement.
 *
 * @throws McpError `MCP_CONFIG_INVALID` (an unusable working directory or URL), `MCP_CONNECT_FAILED`, `MCP_CONNECT_TIMEOUT`,
 * `MCP_COMMAND_NOT_FOUND`, `MCP_SERVER_EXITED`, `MCP_LIMIT_EXCEEDED`, `MCP_PROTOCOL_VIOLATED`, `MCP_PROTOCOL_UNSUPPORTED`,
 * `MCP_AUTH_REQUIRED`, `MCP_TRANSPORT_UNSUPPORTED` or `MCP_ABORTED`.
 */
export type Connector = (server: ResolvedServer, options: ConnectOptions) => Promise<Session>;
