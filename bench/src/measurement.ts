import type { ServerUnderTest } from "./clients/client.ts";
import type { ClientName } from "./clients/names.ts";

/** How many calls are made. */
export interface CallCounts {
  /** Calls that are not measured, before each of the parts. */
  readonly warmUp: number;
  /** One after the other. */
  readonly sequential: number;
  /** One after the other, with large answers. */
  readonly large: number;
  /** Many at the same time. */
  readonly concurrent: number;
}

/** Who is measured. */
export interface ClientRequest {
  readonly client: ClientName;
  /** Where a competitor's modules are, by their specifiers. */
  readonly modules?: Readonly<Record<string, string>> | undefined;
}

/** Starts a client and stops the clock when every tool is usable. */
export interface StartRequest extends ClientRequest {
  readonly kind: "start";
  readonly servers: readonly ServerUnderTest[];
  /** Without one the client starts cold. `expectsTools`: the run must find the tools in it, or fails. */
  readonly catalog?: { readonly directory: string; readonly expectsTools: boolean } | undefined;
  /** The client is given up after this many milliseconds. Default: as long as a measurement may take. */
  readonly patienceMs?: number | undefined;
  /** Where the servers write down their starts. */
  readonly notes?: string | undefined;
  /** One server never answers: its tools may be missing. */
  readonly oneHangs?: boolean | undefined;
}

/** Starts a client with one server and calls its echo tool. */
export interface CallsRequest extends ClientRequest {
  readonly kind: "calls";
  readonly server: ServerUnderTest;
  readonly counts: CallCounts;
  readonly sizes: CallSizes;
}

/** How calls are made. */
export interface CallSizes {
  /** Bytes of an ordinary text. */
  readonly smallBytes: number;
  /** Bytes of a large answer. */
  readonly largeBytes: number;
  /** How many calls are under way at the same time in the concurrent part. */
  readonly inFlight: number;
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

/** Opens one session with a server behind HTTP, then more, up to each of the numbers; or a session with a server that has many tools. */
export interface MemoryRequest extends ClientRequest {
  readonly kind: "memory";
  readonly server: ServerUnderTest;
  readonly of: "sessions" | "tools";
  /** In ascending order. */
  readonly counts: readonly number[];
}

/** Kills the server's process, or has it forget its sessions, and calls until an answer comes. */
export interface RecoveryRequest extends ClientRequest {
  readonly kind: "recovery";
  readonly server: ServerUnderTest;
  /** Where the server writes down its starts: its process is killed. Default: it is told by HTTP to forget its sessions. */
  readonly notes?: string | undefined;
  readonly patienceMs: number;
}

/** Makes very many calls, or replaces a session very often, and weighs the heap before and after. */
export interface GrowthRequest extends ClientRequest {
  readonly kind: "growth";
  readonly server: ServerUnderTest;
  readonly of: "calls" | "reconnects";
  readonly count: number;
  readonly inFlight: number;
}

/** What a curve is drawn over. */
export const CURVES = ["servers", "tools", "bytes", "in flight"] as const;

export type Curve = (typeof CURVES)[number];

/** Measures one thing at several sizes. */
export interface CurveRequest extends ClientRequest {
  readonly kind: "curve";
  readonly server: ServerUnderTest;
  readonly of: Curve;
  /** In ascending order. */
  readonly sizes: readonly number[];
}

/** What a measuring process is asked for. */
export type MeasurementRequest =
  | StartRequest
  | CallsRequest
  | KnownRequest
  | OverheadRequest
  | MemoryRequest
  | RecoveryRequest
  | GrowthRequest
  | CurveRequest;

/** Every figure a measuring process can hand back. Times are milliseconds, CPU time is that of the client's process alone. */
export type FigureName =
  /** From the process's start, as its parent sees it, to usable tools. */
  | "readyMs"
  /** All CPU time of the process until then. */
  | "readyCpuMs"
  /** From the process's start to the answer of a first call. */
  | "firstAnswerMs"
  /** From usable tools that were known before to the answer of a first call. */
  | "firstUseMs"
  /** Server processes that were started by the time the tools were usable. */
  | "startedBeforeReady"
  /** Server processes that were started by the first answer, for each server. */
  | "startedEach"
  /** Nothing had come when the client was given up. */
  | "gaveUpAfterMs"
  | "sequentialP50Ms"
  | "sequentialP99Ms"
  /** For each sequential call. */
  | "sequentialCpuMs"
  | "largeP50Ms"
  /** For each call with a large answer. */
  | "largeCpuMs"
  | "callsPerSecond"
  /** For each concurrent call. */
  | "concurrentCpuMs"
  /** All tools made tools of the AI SDK. */
  | "adaptedToolsMs"
  /** `tools()` while nothing changes. */
  | "unchangedToolsMs"
  | "indexMs"
  | "searchMs"
  /** One server's list taken anew, and `tools()`. */
  | "changedToolsMs"
  /** CPU time of a call, less that of the same request made of its session. */
  | "addedCpuMs"
  /** Importing the tool cache. */
  | "importMs"
  /** Resident memory of so many sessions above that of one, or of the first above that of a process without, in MiB. */
  | "sessionsMib"
  /** Resident memory of a session with so many tools above one with few, in MiB. */
  | "toolsMib"
  /** Reading a catalog, from the call to the entries. */
  | "readMs"
  /** From the fault to the answer of the first call that gets one. */
  | "recoveryMs"
  /** Calls that failed before that one. */
  | "failedCalls"
  /** Requests that the server had answered, after those it refused, when that call came. */
  | "roundTrips"
  /** What one start of the server, its handshake and a call take the hand-written loop, or one call, in the same process. */
  | "comparedMs"
  /** What the heap has grown by, after garbage collection, in MiB. */
  | "heapMib"
  /** What the resident memory has grown by, or what it is where sessions or tools are opened, in MiB. */
  | "residentMib"
  /** One point of a curve. */
  | "pointMs"
  | "pointCpuMs";

/** The figures of one measurement. */
export type Figures = { readonly [name in FigureName]?: number };

/** The figures at one size of a measurement that has several. */
export interface Point {
  readonly at: number;
  readonly figures: Figures;
}
