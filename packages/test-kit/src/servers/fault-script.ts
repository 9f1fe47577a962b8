import type { PromptDefinition, ResourceDefinition, ToolDefinition } from "@jackfield/mcp-core";
import type { RpcError } from "./rpc-message.ts";

/** How a server behaves, whatever the transport. Only JSON values, so that it can be passed to a child process. */
export interface ConversationScript {
  /**
   * `legacy` (default) serves `initialize` and answers `server/discover` with -32601; `modern` does the reverse, with protocol
   * 2026-07-28; `dual` serves each client in its own era.
   */
  readonly era?: "legacy" | "modern" | "dual" | undefined;
  /** Default: the version that a legacy client requests, and 2026-07-28 for a modern one. */
  readonly protocolVersion?: string | undefined;
  readonly instructions?: string | undefined;
  /** Default: `echo`, `fail`, `structured` and `image`. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /** Default: no resources, and no such capability. */
  readonly resources?: readonly ResourceDefinition[] | undefined;
  /** Default: no prompts, and no such capability. */
  readonly prompts?: readonly PromptDefinition[] | undefined;
  /** The `ttlMs` of cacheable results for modern clients. Default 0. */
  readonly ttlMs?: number | undefined;
  /** How many tools a page of `tools/list` has. Default: all. */
  readonly pageSize?: number | undefined;
  /** Every page of `tools/list` names the same next cursor. */
  readonly repeatCursor?: boolean | undefined;
  /** `tools/list` has no last page; every cursor is new. */
  readonly endlessPages?: boolean | undefined;
  /** Methods that are never answered. Their progress is still sent. */
  readonly silentOn?: readonly string[] | undefined;
  /** Per method, the delay of its answer. A cancelled request is answered all the same. */
  readonly answerLateMs?: { readonly [method: string]: number } | undefined;
  /** Per method, the error it is answered with. */
  readonly errorOn?: { readonly [method: string]: RpcError } | undefined;
  /**
   * How many progress notifications a tool call gets, spread evenly over the delay of its answer. Default 0. Without a delay they
   * arrive together with the answer, and a client may drop them.
   */
  readonly progress?: number | undefined;
  /** Every progress notification has the same number, so that there is no advance. Default false. */
  readonly constantProgress?: boolean | undefined;
  /** Sends `list_changed` after each tool call. If tools are given, they are the list from then on. */
  readonly listChangedAfterCall?: true | readonly ToolDefinition[] | undefined;
}

/**
 * A moment in the life of a stdio server: its start, or the arrival of a message, which then gets no answer. `initialized` is the
 * end of a legacy handshake.
 */
export type FaultMoment = "start" | "discover" | "initialize" | "initialized" | "list" | "call";

/** The moment at which a process ends. `handshake`: right after the result of `initialize` or `server/discover` is written. */
export type ExitMoment = FaultMoment | "handshake";

/** A child process of the server that only sleeps. */
export interface GrandchildScript {
  /** It ignores SIGTERM, SIGINT and SIGHUP, and says so on stderr. Default false. */
  readonly ignoreSignals?: boolean | undefined;
  /** It has called setsid(2), so it leads its own process group and session. Default false. */
  readonly ownGroup?: boolean | undefined;
  /** It keeps the server's stdout and stderr open. Default false. */
  readonly holdsPipes?: boolean | undefined;
}

/** What a stdio server does wrong. An empty script is a correct server. */
export interface FaultScript extends ConversationScript {
  readonly exitOn?: ExitMoment | undefined;
  /** For `exitOn`. Default 1. */
  readonly exitCode?: number | undefined;
  /** Writes half of the answer to a tool call, then kills itself with SIGKILL. */
  readonly dieInCall?: boolean | undefined;
  /** Lines written to stderr at the start. */
  readonly stderr?: readonly string[] | undefined;
  /** Answers a tool call only after this many bytes were written to stderr and read from it. */
  readonly floodStderrBytes?: number | undefined;
  /** Lines on stdout that are not JSON-RPC, around each answer. */
  readonly junk?:
    | { readonly before?: readonly string[] | undefined; readonly after?: readonly string[] | undefined }
    | undefined;
  /**
   * Writes stdout in chunks of this many bytes, each in its own turn of the event loop; `1` splits every multi-byte character.
   * Default: whole messages.
   */
  readonly chunkBytes?: number | undefined;
  /** Ends each line on stdout with CR LF in place of LF. */
  readonly crlf?: boolean | undefined;
  /** Per method, the minimum length of its answer's line in bytes: the `_meta` of the result is padded. */
  readonly answerBytes?: { readonly [method: string]: number } | undefined;
  /** Writes each answer twice. */
  readonly duplicateAnswers?: boolean | undefined;
  /** Answers request 1 as "1". */
  readonly stringIds?: boolean | undefined;
  /** Before each answer, sends two answers to requests that were never made, with a number and a string as ids. */
  readonly strayAnswers?: boolean | undefined;
  /** Stops reading its stdin at this moment. It therefore does not notice that stdin ends, and goes on running. */
  readonly stopReadingOn?: FaultMoment | undefined;
  /** Closes its stdout at this moment, and goes on running until its stdin ends. */
  readonly closeStdoutOn?: FaultMoment | undefined;
  /** Goes on running when its stdin has ended, and says so on stderr. */
  readonly ignoreStdinEnd?: boolean | undefined;
  /** Ignores SIGTERM, SIGINT and SIGHUP, and says so on stderr. */
  readonly ignoreSignals?: boolean | undefined;
  /** Starts a grandchild before it reads its first request. */
  readonly grandchild?: true | GrandchildScript | undefined;
  /** Offers a tool `environment` that returns the process's whole environment as structured content. */
  readonly echoEnvironment?: boolean | undefined;
  /** A file that gets one JSON line for each event; `readFaultRecord` reads it. */
  readonly recordTo?: string | undefined;
}
