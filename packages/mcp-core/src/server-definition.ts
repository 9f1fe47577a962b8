import type { CatalogKind } from "./session.ts";
import type { SourceLocation } from "./source-location.ts";

/**
 * The origin of a definition, strongest first: code and command line, an administrator's file, the user's own file for one project,
 * a file that came with a project, the user's file for all projects, an extension.
 */
export type DefinitionScope = "explicit" | "managed" | "local" | "project" | "user" | "extension";

/** Where a definition was written. */
export interface DefinedIn extends SourceLocation {
  readonly scope: DefinitionScope;
  /** The program whose dialect the file is in, for example `claude-code`. */
  readonly host?: string | undefined;
  /** The resolved path, if `file` leads to it through a symbolic link. */
  readonly realFile?: string | undefined;
  /**
   * The project's or extension's directory. Relative paths are resolved against it, and a project's entry may not leave it.
   * Default: the directory of the file.
   */
  readonly root?: string | undefined;
  /**
   * The origin of fields that another file wrote than the one named here, in a definition merged from several files. Keyed by the
   * field's name in a definition, for example `command` or `env.NODE_OPTIONS`. Only paths, references to files and commands, and
   * variables that load code are recorded, because their meaning depends on where and by whom they were written.
   */
  readonly parts?:
    | { readonly [field: string]: Pick<DefinedIn, "scope" | "file" | "realFile" | "root"> }
    | undefined;
}

/** A definition that is not used because a stronger one has the same name. */
export interface ShadowedServer {
  readonly name: string;
  readonly definedIn: DefinedIn;
}

/** The OAuth settings of an entry; further members are kept as written. */
export interface OAuthSettings {
  readonly enabled?: boolean | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly redirectUri?: string | undefined;
  readonly callbackPort?: number | undefined;
  /** The resource indicator (RFC 8707); `false` sends none, for an authorization server that refuses it. */
  readonly resource?: string | false | undefined;
  /** The authorization server, where the server does not name it. Counts in the user's own entries only, as the next two do. */
  readonly issuer?: string | undefined;
  /** The login page of an authorization server without metadata; `tokenUrl` belongs to it. */
  readonly authorizationUrl?: string | undefined;
  readonly tokenUrl?: string | undefined;
  /**
   * `client_credentials`: the program itself is the user, and proves it with `clientSecret` or `privateKey`; nobody logs in. Default: a
   * person logs in.
   */
  readonly grantType?: string | undefined;
  /** The key with which the client signs (`private_key_jwt`), as PEM in PKCS #8, whose line breaks may be written as `\n`. */
  readonly privateKey?: string | undefined;
  /** The algorithm of `privateKey`, such as `RS256`. Default `ES256`. */
  readonly algorithm?: string | undefined;
  /**
   * Whether tokens are bound to a key of this program, which signs a proof for each request (DPoP, RFC 9449): a stolen token is of no use
   * alone. Needs an authorization server that can; another one gives tokens as usual. Default false.
   */
  readonly dpop?: boolean | undefined;
  readonly [member: string]: unknown;
}

/** The OAuth settings that may refer to variables, as the headers of an entry may. */
export const REFERRING_OAUTH_SETTINGS = [
  ...(["clientId", "clientSecret", "privateKey", "redirectUri", "resource"] as const),
  ...(["issuer", "authorizationUrl", "tokenUrl"] as const),
] as const;

/** Limits of one server, and how it is spoken to. Times are milliseconds; `0` means no limit. */
export interface ServerLimits {
  /** For opening a session: spawn or dial, probe, handshake. Default 30,000. */
  readonly connectTimeoutMs?: number | undefined;
  /** For a call without a result and without increasing progress. Default 60,000. */
  readonly callTimeoutMs?: number | undefined;
  /** For a call in total, whatever its progress. Default 600,000. */
  readonly maxTotalMs?: number | undefined;
  /** The size of one decoded message. Default 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /**
   * How many tools of its list are taken, in the order in which the server lists them; the rest is left out with a warning. `0` = all.
   * Default 5,000.
   */
  readonly maxTools?: number | undefined;
  /**
   * How many calls of tools one session sends at a time, for a server that confuses them. The others wait in order; their `callTimeoutMs`
   * begins with their turn, their `maxTotalMs` before. Nothing else waits. A call that was aborted or timed out makes way at once, though
   * the server may still work on it. `0` = no limit, the default.
   */
  readonly maxConcurrentCalls?: number | undefined;
  /** A session without requests for this long is closed; the next call connects again. `0` = never, the default. */
  readonly idleTimeoutMs?: number | undefined;
  /**
   * The era of the protocol, where it is not to be found out: `legacy` (2025-11-25 and older) sends no probe for the newer one, `modern`
   * (2026-07-28) does not fall back to the older handshake. Default: it is found out.
   */
  readonly era?: "legacy" | "modern" | undefined;
  /** Whether the server's `readOnlyHint` and `idempotentHint` are trusted when a call might be repeated. Default false. */
  readonly trustAnnotations?: boolean | undefined;
  /**
   * Whether a model's arguments are checked against the tool's schema before they are sent. `false` is for servers that take more than their
   * schemas say. Default true.
   */
  readonly checkArguments?: boolean | undefined;
}

/** The limits that apply if neither the entry nor the host sets them. */
export const DEFAULT_LIMITS: Required<{
  readonly [K in Exclude<keyof ServerLimits, "era">]: NonNullable<ServerLimits[K]>;
}> = {
  connectTimeoutMs: 30_000,
  callTimeoutMs: 60_000,
  maxTotalMs: 600_000,
  maxMessageBytes: 16 * 1024 * 1024,
  maxTools: 5_000,
  maxConcurrentCalls: 0,
  idleTimeoutMs: 0,
  trustAnnotations: false,
  checkArguments: true,
};

/** Resources, templates and prompts are named one at a time and never sent to a model as a whole, so this bound needs no option. */
const MOST_LISTED = 20_000;

/**
 * How many items of one kind are taken of a server's list. A server may list any number, and each one costs time and memory.
 *
 * @returns `limits.maxTools` for tools, 20,000 for any other kind; `Infinity` if there is no limit
 */
export function mostListed(
  kind: CatalogKind,
  { maxTools = DEFAULT_LIMITS.maxTools }: ServerLimits = {},
): number {
  if (kind !== "tools") return MOST_LISTED;
  return maxTools === 0 ? Number.POSITIVE_INFINITY : maxTools;
}

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
  /** `false`: the entry is switched off. Default true. */
  readonly enabled?: boolean | undefined;
  /** What switches it off, if its entry does not, for example `mcp.excluded`; with the place if it is in a project's file. */
  readonly disabledBy?: string | undefined;
  /** The weaker definitions that this one shadows, strongest first. */
  readonly shadows?: readonly ShadowedServer[] | undefined;
  /** Connect at first use only. Default false. */
  readonly lazy?: boolean | undefined;
  /** The server holds no user's data: if one runtime serves several users, they share its session and catalog entry. Default false. */
  readonly shared?: boolean | undefined;
  readonly limits?: ServerLimits | undefined;
  readonly tools?: ToolFilter | undefined;
  /**
   * For an entry of a project: the variables of the environment and the ids of inputs that it refers to, sorted. They are part of what
   * is approved, and the approval gives exactly these.
   */
  readonly variables?: readonly string[] | undefined;
  /** Fields of the entry that Jackfield does not read, as written. */
  readonly extra?: { readonly [field: string]: unknown } | undefined;
}

/** A server that runs as a child process and communicates over stdio. */
export interface StdioServerDefinition extends DefinitionCommon {
  readonly transport: "stdio";
  /** One executable, never a shell line. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: { readonly [name: string]: string } | undefined;
  /** Names of variables that the child does not get, even if it would inherit them. */
  readonly envUnset?: readonly string[] | undefined;
  /** Names of variables that the child gets with their value in the environment; unset ones are left out. */
  readonly envPassthrough?: readonly string[] | undefined;
  /** A file of `NAME=value` lines with lower precedence than `env`, read again for each attempt. */
  readonly envFile?: string | undefined;
  readonly cwd?: string | undefined;
}

/** For whom headers are made. */
export interface HeadersRequest {
  /** The user on whose behalf the server is reached; `undefined` for the owner of the runtime, and for a `shared` server. */
  readonly principal?: string | undefined;
  /** The server has refused the last ones (401), so what they hold has to be renewed. */
  readonly rejected?: boolean | undefined;
  /** Fires when the headers are no longer wanted. */
  readonly signal: AbortSignal;
}

/** Makes headers with the credentials of a user, once for each session; again when the server has refused them. */
export type MakeHeaders = (request: HeadersRequest) => HeaderValues | Promise<HeaderValues>;

/** Headers by name; those that are `undefined` are left out. */
export interface HeaderValues {
  readonly [name: string]: string | undefined;
}

interface RemoteDefinition extends DefinitionCommon {
  readonly url: string;
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** Makes the headers, of an entry given in code. Each value counts as a credential. */
  readonly makeHeaders?: MakeHeaders | undefined;
  /** Further headers, each with the variable that holds its value. A header whose variable is unset is left out. */
  readonly headersFromEnv?: { readonly [header: string]: string } | undefined;
  /** The variable that holds the bearer token for `Authorization`. */
  readonly bearerTokenEnv?: string | undefined;
  /** `false`: no login, whatever the server asks for. */
  readonly oauth?: OAuthSettings | false | undefined;
  /** Variables that the entry defines for its own `url` and `headers`. */
  readonly env?: { readonly [name: string]: string } | undefined;
  /** A file of `NAME=value` lines with lower precedence than `env`, read again for each attempt. */
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

/** Anything that can connect to a transport in this process: a server of the official SDK, version 1 or 2. */
export interface InProcessServer {
  connect(transport: never): Promise<void>;
  close?(): Promise<void>;
}

type InProcessServerSource = InProcessServer | (() => InProcessServer | Promise<InProcessServer>);

/** The exports of a module with an in-process server; the first of these names that it has is used. */
interface InProcessServerModule {
  readonly default?: InProcessServerSource | undefined;
  readonly server?: InProcessServerSource | undefined;
  readonly createServer?: InProcessServerSource | undefined;
}

/** A server in this process. */
export interface InProcessServerDefinition extends DefinitionCommon {
  readonly transport: "in-process";
  /**
   * The server, or a function that is called for each session. The function returns a server, or a module as in
   * `() => import("./my-server.js")`. Of the module, the first of `default`, `server` and `createServer` is used; it is the server
   * or a function that makes one.
   *
   * A server that a function made is closed with its session. A server that was passed or exported as an object serves one session
   * at a time; it is disconnected, not closed.
   */
  readonly server:
    | InProcessServer
    | (() => InProcessServer | InProcessServerModule | Promise<InProcessServer | InProcessServerModule>);
}

/**
 * One server as written, unexpanded: references stay as in the file, in the dialect of `definedIn.host`, so a definition holds no
 * secret by itself.
 */
export type ServerDefinition =
  | StdioServerDefinition
  | HttpServerDefinition
  | SseServerDefinition
  | InProcessServerDefinition;

/** How a server is reached. */
export type TransportKind = ServerDefinition["transport"];
