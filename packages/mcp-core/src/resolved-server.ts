import type { InProcessServerDefinition, ServerDefinition, ServerLimits } from "./server-definition.ts";

interface ResolvedCommon {
  readonly name: string;
  readonly limits?: ServerLimits | undefined;
  /** Values that must never be shown: each is replaced wherever text about this server leaves the runtime. */
  readonly secrets: readonly string[];
}

/** A child process to start. */
export interface ResolvedStdioServer extends ResolvedCommon {
  readonly transport: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** The child's whole environment; nothing is added to it, but what Windows needs to run a batch file safely. */
  readonly env: { readonly [name: string]: string };
  /** Names in `env` that the entry itself does not name. Another terminal has other values; it reaches the same server. */
  readonly inherited?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
}

/** An address to dial. */
export interface ResolvedRemoteServer extends ResolvedCommon {
  readonly transport: "http" | "sse";
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
}

/** A server to join in this process. */
export interface ResolvedInProcessServer extends ResolvedCommon {
  readonly transport: "in-process";
  readonly server: InProcessServerDefinition["server"];
}

/** A definition with its values filled in, for one connection attempt. Never stored, never logged. */
export type ResolvedServer = ResolvedStdioServer | ResolvedRemoteServer | ResolvedInProcessServer;

/** What a resolver is told besides the definition. */
export interface ResolveOptions {
  readonly signal: AbortSignal;
  /** As whom the server is reached, where one runtime serves several users. */
  readonly principal?: string | undefined;
  /** The server refused what was resolved last time: a value that can be renewed is renewed, not offered again. */
  readonly rejected?: boolean | undefined;
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
