import type { InProcessServerDefinition, ServerDefinition, ServerLimits } from "./server-definition.ts";

interface ResolvedCommon {
  readonly name: string;
  readonly limits?: ServerLimits | undefined;
  /**
   * The credentials among its values, as they are, and nothing else: `credentialsIn` says what counts. They are hidden in log lines and
   * errors, and do not identify the server.
   */
  readonly secrets: readonly string[];
  /**
   * Whether another resolution may give other values, such as the output of a command. A session then ends when the server refuses those
   * with which it was opened. Default false.
   */
  readonly renewable?: boolean | undefined;
}

/** A child process to start. */
export interface ResolvedStdioServer extends ResolvedCommon {
  readonly transport: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** The child's whole environment. Nothing is added to it except what Windows needs to run a batch file safely. */
  readonly env: { readonly [name: string]: string };
  /** Names in `env` that the entry does not set. Their values differ between terminals, so they do not identify the server. */
  readonly inherited?: readonly string[] | undefined;
  /**
   * Names of variables on which downloads and TLS depend, such as proxies and certificate files, that this process has and the child
   * does not get.
   */
  readonly withheld?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
}

/** A remote server to connect to. */
export interface ResolvedRemoteServer extends ResolvedCommon {
  readonly transport: "http" | "sse";
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
}

/** An in-process server to connect to. */
export interface ResolvedInProcessServer extends ResolvedCommon {
  readonly transport: "in-process";
  readonly server: InProcessServerDefinition["server"];
}

/** A definition with its values filled in, for one connection attempt. Never stored, never logged. */
export type ResolvedServer = ResolvedStdioServer | ResolvedRemoteServer | ResolvedInProcessServer;

/** Options of resolving a definition. */
export interface ResolveOptions {
  readonly signal: AbortSignal;
  /** The user on whose behalf the server is reached, if one runtime serves several users. */
  readonly principal?: string | undefined;
  /** The server refused the values resolved last time: those that can be renewed are renewed, not reused. */
  readonly rejected?: boolean | undefined;
  /**
   * The server refused these values or a login, and it cannot be known which: values that can be renewed are, and may be the same again.
   */
  readonly doubted?: boolean | undefined;
}

/**
 * Fills in a definition's variables for one attempt.
 *
 * @throws McpError `MCP_CONFIG_VARIABLE_MISSING` for a variable without value and default, `MCP_ABORTED` if the signal fired.
 */
export type ResolveServer = (
  definition: ServerDefinition,
  options: ResolveOptions,
) => Promise<ResolvedServer>;
