import type { ClientName, ServerUnderTest } from "./clients/client.ts";

/** How many calls are made. */
export interface CallCounts {
  /** Calls that are not measured, before each of the two parts. */
  readonly warmUp: number;
  /** One after the other. */
  readonly sequential: number;
  /** Many at the same time. */
  readonly concurrent: number;
}

/** How many calls are under way at the same time in the concurrent part. */
export const CONCURRENCY = 64;

/** Starts a client and stops the clock when every tool is usable. */
export interface StartRequest {
  readonly kind: "start";
  readonly client: ClientName;
  readonly servers: readonly ServerUnderTest[];
  /** Without one the client starts cold. `expectsTools`: the run must find the tools in it, or fails. */
  readonly catalog?: { readonly directory: string; readonly expectsTools: boolean } | undefined;
}

/** Starts a client with one server and calls its `echo`. */
export interface CallsRequest {
  readonly kind: "calls";
  readonly client: ClientName;
  readonly server: ServerUnderTest;
  readonly counts: CallCounts;
}

/** Starts Jackfield with very many servers that its catalog knows and that never come up, or fills that catalog. */
export interface KnownRequest {
  readonly kind: "known";
  readonly servers: number;
  readonly catalogDirectory: string;
  readonly fill: boolean;
}

/** Measures what Jackfield itself costs above servers that cost nothing. */
export interface OverheadRequest {
  readonly kind: "overhead";
  readonly servers: number;
  readonly calls: number;
}

/** Opens one session with a server behind HTTP, then many more. */
export interface MemoryRequest {
  readonly kind: "memory";
  readonly client: ClientName;
  readonly server: ServerUnderTest;
  readonly sessions: number;
}

/** What a measuring process is asked for. */
export type MeasurementRequest = StartRequest | CallsRequest | KnownRequest | OverheadRequest | MemoryRequest;

/** Every figure a measuring process can hand back. Times are milliseconds, CPU time is that of the client's process alone. */
export type FigureName =
  /** From the process's start, as its parent sees it, to usable tools. */
  | "readyMs"
  /** All CPU time of the process until then. */
  | "readyCpuMs"
  /** From the process's start to the answer of a first call. */
  | "firstAnswerMs"
  | "sequentialP50Ms"
  | "sequentialP99Ms"
  /** For each sequential call. */
  | "sequentialCpuMs"
  | "callsPerSecond"
  /** For each concurrent call. */
  | "concurrentCpuMs"
  /** All tools made tools of the AI SDK. */
  | "adaptedToolsMs"
  /** `tools()` while nothing changes. */
  | "unchangedToolsMs"
  /** One server's list taken anew, and `tools()`. */
  | "changedToolsMs"
  /** CPU time of a call, less that of the same request made of its session. */
  | "addedCpuMs"
  /** Importing the tool cache. */
  | "importMs"
  /** Resident memory of many sessions above that of one, in MiB. */
  | "sessionsMib"
  /** Reading a catalog, from the call to the entries. */
  | "readMs";

/** The figures of one measurement. */
export type Figures = { readonly [name in FigureName]?: number };
