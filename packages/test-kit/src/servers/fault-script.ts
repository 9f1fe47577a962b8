import type { PromptDefinition, ResourceDefinition, ToolDefinition } from "@jackfield/mcp-core";
import type { RpcError } from "./rpc-message.ts";

/** What a server says, whatever carries it. Only JSON values, so that it can be handed to a child process. */
export interface ConversationScript {
  /**
   * `legacy` (default) answers `server/discover` with -32601 and serves `initialize`; `modern` is the other way round, at
   * protocol 2026-07-28; `dual` serves each client in its own era.
   */
  readonly era?: "legacy" | "modern" | "dual" | undefined;
  /** Default: what a legacy client asks for, and 2026-07-28 for a modern one. */
  readonly protocolVersion?: string | undefined;
  readonly instructions?: string | undefined;
  /** Default: `echo`, `fail`, `structured` and `image`. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /** Default: no resources, and no such capability. */
  readonly resources?: readonly ResourceDefinition[] | undefined;
  /** Default: no prompts, and no such capability. */
  readonly prompts?: readonly PromptDefinition[] | undefined;
  /** Told with lists to modern clients. Default 0. */
  readonly ttlMs?: number | undefined;
  /** How many tools a page of `tools/list` has. Default: all. */
  readonly pageSize?: number | undefined;
  /** Every page of `tools/list` names the same next cursor. */
  readonly repeatCursor?: boolean | undefined;
  /** `tools/list` has no last page; every cursor is new. */
  readonly endlessPages?: boolean | undefined;
  /** Methods that are never answered. Their progress is still told. */
  readonly silentOn?: readonly string[] | undefined;
  /** Per method, how late its answer is. A cancelled request is answered nevertheless. */
  readonly answerLateMs?: { readonly [method: string]: number } | undefined;
  /** Per method, the error it is answered with. */
  readonly errorOn?: { readonly [method: string]: RpcError } | undefined;
  /**
   * How many progress notifications a tool call gets, spread evenly over the lateness of its answer. Default 0. Without
   * lateness they arrive together with the answer, and a client may rightly drop them.
   */
  readonly progress?: number | undefined;
  /** Progress tells the same number again and again, so that nothing gets on. Default false. */
  readonly constantProgress?: boolean | undefined;
  /** After each tool call the list is said to have changed; where tools are given, they are the list from then on. */
  readonly listChangedAfterCall?: true | readonly ToolDefinition[] | undefined;
}

/**
 * A moment in the life of a stdio server: its start, or the arrival of a message, which is then not answered. `initialized`
 * is the end of a legacy handshake.
 */
export type FaultMoment = "start" | "discover" | "initialize" | "initialized" | "list" | "call";

/** The moment at which a process ends; `handshake` is once the answer that ends a handshake of either era is written. */
export type ExitMoment = FaultMoment | "handshake";

/** A child of the server that does nothing but exist. */
export interface GrandchildScript {
  /** It survives SIGTERM, SIGINT and SIGHUP, and says so on stderr. Default false. */
  readonly ignoreSignals?: boolean | undefined;
  /** It has called setsid(2), so it leads a process group and a session of its own. Default false. */
  readonly ownGroup?: boolean | undefined;
  /** It keeps the server's stdout and stderr open. Default false. */
  readonly holdsPipes?: boolean | undefined;
}

/** What a stdio server does wrong. An empty script is a correct server. */
export interface FaultScript extends ConversationScript {
  readonly exitOn?: ExitMoment | undefined;
  /** For `exitOn`. Default 1. */
  readonly exitCode?: number | undefined;
  /** Writes half of the answer to a tool call, then is killed. */
  readonly dieInCall?: boolean | undefined;
  /** Lines written to stderr at the start. */
  readonly stderr?: readonly string[] | undefined;
  /** A tool call is answered only after so many bytes were written to stderr and taken from it. */
  readonly floodStderrBytes?: number | undefined;
  /** Lines on stdout that are not JSON-RPC, around each answer. */
  readonly junk?:
    | { readonly before?: readonly string[] | undefined; readonly after?: readonly string[] | undefined }
    | undefined;
  /**
   * Writes stdout in pieces of so many bytes, each in a turn of its own; `1` cuts every character of several bytes apart.
   * Default: whole messages.
   */
  readonly chunkBytes?: number | undefined;
  /** Ends each line on stdout with CR LF in place of LF. */
  readonly crlf?: boolean | undefined;
  /** Per method, how many bytes the line of its answer has at least: the `_meta` of the result is padded. */
  readonly answerBytes?: { readonly [method: string]: number } | undefined;
  /** Writes each answer twice. */
  readonly duplicateAnswers?: boolean | undefined;
  /** Answers request 1 as "1". */
  readonly stringIds?: boolean | undefined;
  /** Before each answer, answers two requests that nobody has made, with a number and a text as their ids. */
  readonly strayAnswers?: boolean | undefined;
  /** Reads no more of its stdin from this moment on, so that it notices no end of it either, and goes on living. */
  readonly stopReadingOn?: FaultMoment | undefined;
  /** Closes its stdout at this moment, and goes on living until its stdin ends. */
  readonly closeStdoutOn?: FaultMoment | undefined;
  /** Goes on living when its stdin has ended, and says so on stderr. */
  readonly ignoreStdinEnd?: boolean | undefined;
  /** Goes on living after SIGTERM, SIGINT and SIGHUP, and says so on stderr. */
  readonly ignoreSignals?: boolean | undefined;
  /** Starts a grandchild before it reads its first request. */
  readonly grandchild?: true | GrandchildScript | undefined;
  /** Offers a tool `environment` that answers the process's whole environment as structured content. */
  readonly echoEnvironment?: boolean | undefined;
  /** A file that gets one JSON line for each event; `readFaultRecord` reads it. */
  readonly recordTo?: string | undefined;
}
