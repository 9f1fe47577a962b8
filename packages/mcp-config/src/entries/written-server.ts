import type { OAuthSettings, ToolFilter } from "@jackfield/mcp-core";

/**
 * One server as its file has it, in one shape for all hosts: times in milliseconds, fields under one name, variables as
 * written in the host's own dialect, relative paths relative.
 */
export interface WrittenServer {
  readonly transport: "stdio" | "http" | "sse";
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  /** `null`: the variable is explicitly unset. */
  readonly env?: { readonly [name: string]: string | null } | undefined;
  readonly envFile?: string | undefined;
  /** Names of variables that are handed on. */
  readonly envPassthrough?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** Headers by the name of the variable that holds their value. */
  readonly headersFromEnv?: { readonly [header: string]: string } | undefined;
  readonly bearerTokenEnv?: string | undefined;
  /** One call. */
  readonly timeoutMs?: number | undefined;
  readonly connectTimeoutMs?: number | undefined;
  readonly maxTotalMs?: number | undefined;
  readonly maxMessageBytes?: number | undefined;
  readonly trustAnnotations?: boolean | undefined;
  readonly enabled: boolean;
  readonly lazy?: boolean | undefined;
  /** It holds nothing of a user's. */
  readonly shared?: boolean | undefined;
  readonly tools?: ToolFilter | undefined;
  readonly oauth?: OAuthSettings | false | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** The host does not start without it. */
  readonly required?: boolean | undefined;
  /** The host asks nobody before it calls this server's tools. Jackfield takes no approval from a file. */
  readonly trust?: boolean | undefined;
  /** Tools that the host calls without asking. Jackfield takes no approval from a file. */
  readonly autoApprove?: readonly string[] | undefined;
  /** What has to be given before the server can be used, by name: it is required, and the file has no value for it. */
  readonly requires?:
    | {
        readonly env?: readonly string[] | undefined;
        readonly args?: readonly string[] | undefined;
        readonly headers?: readonly string[] | undefined;
        /** Parts of other values. */
        readonly variables?: readonly string[] | undefined;
      }
    | undefined;
  /** Fields that have no meaning here, as written. */
  readonly extra?: { readonly [field: string]: unknown } | undefined;
}
