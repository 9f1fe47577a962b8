import type { SourceLocation } from "./source-location.ts";

/**
 * Where a definition may come from, from the strongest to the weakest: code and command line, an administrator's file, the
 * user's own file for one project, a file that came with a project, the user's file for all projects, an extension.
 */
export type DefinitionScope = "explicit" | "managed" | "local" | "project" | "user" | "extension";

/** Where a definition was written. */
export interface DefinedIn extends SourceLocation {
  readonly scope: DefinitionScope;
  /** The program whose dialect the file is in, for example `claude-code`. */
  readonly host?: string | undefined;
  /** The file itself, where `file` leads to it through a symbolic link. */
  readonly realFile?: string | undefined;
  /**
   * The project's or extension's directory: what relative paths are relative to, and what a project's entry may not leave.
   * Default: the directory of the file.
   */
  readonly root?: string | undefined;
  /**
   * What wrote a field, where a definition was joined of several files and another of them wrote this field than the one named here: by the
   * name that the field has in a definition, for example `command` or `env.NODE_OPTIONS`. Only paths, references to files and
   * commands, and variables that load code have one, since whose they are and where they are written decides what they mean.
   */
  readonly parts?:
    | { readonly [field: string]: Pick<DefinedIn, "scope" | "file" | "realFile" | "root"> }
    | undefined;
}

/** A definition that is not used because a stronger one of the same name, or for the same endpoint, is. */
export interface ShadowedServer {
  readonly name: string;
  readonly definedIn: DefinedIn;
  readonly reason: "name" | "endpoint";
}

/** What an entry says about authorization; further members are kept as written. */
export interface OAuthSettings {
  readonly enabled?: boolean | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly redirectUri?: string | undefined;
  readonly callbackPort?: number | undefined;
  /** The resource indicator (RFC 8707). */
  readonly resource?: string | undefined;
  readonly [member: string]: unknown;
}

/** Limits of one server. Times are milliseconds; `0` means no limit. */
export interface ServerLimits {
  /** The whole opening: spawn or dial, probe, handshake. Default 30,000. */
  readonly connectTimeoutMs?: number | undefined;
  /** A call without an answer and without increasing progress. Default 60,000. */
  readonly callTimeoutMs?: number | undefined;
  /** A call in all, whatever its progress. Default 600,000. */
  readonly maxTotalMs?: number | undefined;
  /** One message, decoded. Default 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** A session on which nothing was asked for so long is let go; the next call connects again. `0` = never, the default. */
  readonly idleTimeoutMs?: number | undefined;
  /** Whether the server's `readOnlyHint` and `idempotentHint` are believed when a call might be repeated. Default false. */
  readonly trustAnnotations?: boolean | undefined;
}

/** What holds where neither the entry nor the host says otherwise. */
export const DEFAULT_LIMITS: Required<{ readonly [K in keyof ServerLimits]: NonNullable<ServerLimits[K]> }> =
  {
    connectTimeoutMs: 30_000,
    callTimeoutMs: 60_000,
    maxTotalMs: 600_000,
    maxMessageBytes: 16 * 1024 * 1024,
    idleTimeoutMs: 0,
    trustAnnotations: false,
  };

/**
 * Which of a server's tools are offered, by original name; `*` stands for any characters. A missing `include` lets every tool
 * through, an empty one none; `exclude` beats `include`.
 */
export interface ToolFilter {
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
}

interface DefinitionCommon {
  /** Any non-empty string up to 512 characters without control characters. */
  readonly name: string;
  readonly definedIn: DefinedIn;
  /** `false`: written, but switched off. Default true. */
  readonly enabled?: boolean | undefined;
  /** What switched it off where the entry itself does not: a list of its host, for example `mcp.excluded`. */
  readonly disabledBy?: string | undefined;
  /** Weaker definitions that this one stands in front of, the strongest first. */
  readonly shadows?: readonly ShadowedServer[] | undefined;
  /** Connect at first use only. Default false. */
  readonly lazy?: boolean | undefined;
  /** Holds nothing of a user's: where one runtime serves several users, they share its session and its catalog entry. Default false. */
  readonly shared?: boolean | undefined;
  readonly limits?: ServerLimits | undefined;
  readonly tools?: ToolFilter | undefined;
  /** Fields of the entry that Jackfield does not read, as written. */
  readonly extra?: { readonly [field: string]: unknown } | undefined;
}

/** A server that is a child process and speaks over its standard streams. */
export interface StdioServerDefinition extends DefinitionCommon {
  readonly transport: "stdio";
  /** One executable, never a shell line. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: { readonly [name: string]: string } | undefined;
  /** Names that the child does not get, even where it would inherit them. */
  readonly envUnset?: readonly string[] | undefined;
  /** Names that the child gets with the value they have in the environment; an unset one it does not get. */
  readonly envPassthrough?: readonly string[] | undefined;
  /** A file of `NAME=value` lines beneath `env`, read anew for each attempt. */
  readonly envFile?: string | undefined;
  readonly cwd?: string | undefined;
}

interface RemoteDefinition extends DefinitionCommon {
  readonly url: string;
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** Further headers, each with the name of the variable that holds its value; without the variable, the header is left out. */
  readonly headersFromEnv?: { readonly [header: string]: string } | undefined;
  /** The variable that holds the bearer token for `Authorization`. */
  readonly bearerTokenEnv?: string | undefined;
  /** `false`: no login, whatever the server asks for. */
  readonly oauth?: OAuthSettings | false | undefined;
  /** Variables the entry brings along for its own `url` and `headers`. */
  readonly env?: { readonly [name: string]: string } | undefined;
  /** A file of `NAME=value` lines beneath `env`, read anew for each attempt. */
  readonly envFile?: string | undefined;
}

/** A server behind Streamable HTTP. */
export interface HttpServerDefinition extends RemoteDefinition {
  readonly transport: "http";
}

/** A server behind the older HTTP+SSE transport (protocol 2024-11-05). */
export interface SseServerDefinition extends RemoteDefinition {
  readonly transport: "sse";
}

/** Anything that can be joined to a transport in this process: a server of the official SDK, version 1 or 2. */
export interface InProcessServer {
  connect(transport: never): Promise<void>;
  close?(): Promise<void>;
}

type InProcessServerSource = InProcessServer | (() => InProcessServer | Promise<InProcessServer>);

/** What a module must export to be a server in this process; the first of these names that it has counts. */
interface InProcessServerModule {
  readonly default?: InProcessServerSource | undefined;
  readonly server?: InProcessServerSource | undefined;
  readonly createServer?: InProcessServerSource | undefined;
}

/** A server in this process. */
export interface InProcessServerDefinition extends DefinitionCommon {
  readonly transport: "in-process";
  /**
   * The server, or a function that is called for each session. A function gives a server, or a module, as
   * `() => import("./my-server.js")` does: then its `default`, `server` or `createServer`, whichever comes first, is the
   * server or a function that makes one.
   *
   * A server that a function made is closed with its session. One that was given or exported as it is serves one session
   * at a time and is only parted from.
   */
  readonly server:
    | InProcessServer
    | (() => InProcessServer | InProcessServerModule | Promise<InProcessServer | InProcessServerModule>);
}

/**
 * One server as written. Unexpanded: a reference stands as it does in the file, in the dialect of `definedIn.host`, so a
 * definition holds no secret by itself.
 */
export type ServerDefinition =
  | StdioServerDefinition
  | HttpServerDefinition
  | SseServerDefinition
  | InProcessServerDefinition;

/** How a server is reached. */
export type TransportKind = ServerDefinition["transport"];
