import type { OAuthSettings, ToolFilter } from "@jackfield/mcp-core";

/**
 * A server as its file has it, in one shape for all hosts: times in milliseconds, one name for each field. Variables stay in the
 * host's own dialect, and relative paths stay relative.
 */
export interface WrittenServer {
  readonly transport: "stdio" | "http" | "sse";
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  /** `null`: the variable is explicitly unset. */
  readonly env?: { readonly [name: string]: string | null } | undefined;
  readonly envFile?: string | undefined;
  /** Names of environment variables that the child process gets. */
  readonly envPassthrough?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** Headers by the name of the variable that holds their value. */
  readonly headersFromEnv?: { readonly [header: string]: string } | undefined;
  readonly bearerTokenEnv?: string | undefined;
  /** The time limit of one call. */
  readonly timeoutMs?: number | undefined;
  readonly connectTimeoutMs?: number | undefined;
  readonly maxTotalMs?: number | undefined;
  readonly maxMessageBytes?: number | undefined;
  readonly maxTools?: number | undefined;
  readonly maxConcurrentCalls?: number | undefined;
  readonly trustAnnotations?: boolean | undefined;
  readonly checkArguments?: boolean | undefined;
  readonly era?: "legacy" | "modern" | undefined;
  readonly enabled: boolean;
  readonly lazy?: boolean | undefined;
  /** The server holds no user's data. */
  readonly shared?: boolean | undefined;
  readonly tools?: ToolFilter | undefined;
  readonly oauth?: OAuthSettings | false | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** The host does not start without this server. */
  readonly required?: boolean | undefined;
  /** The host calls this server's tools without asking. Jackfield takes no approval from a file. */
  readonly trust?: boolean | undefined;
  /** Tools that the host calls without asking. Jackfield takes no approval from a file. */
  readonly autoApprove?: readonly string[] | undefined;
  /** Names of the values that the server requires and the file does not have. They must be given before it can be used. */
  readonly requires?:
    | {
        readonly env?: readonly string[] | undefined;
        readonly args?: readonly string[] | undefined;
        readonly headers?: readonly string[] | undefined;
        /** Parts of other values. */
        readonly variables?: readonly string[] | undefined;
      }
    | undefined;
  /** All other fields, as written. */
  readonly extra?: { readonly [field: string]: unknown } | undefined;
}
