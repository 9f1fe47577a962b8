import { type CatalogSize, MANY_SERVERS, MANY_TOOLS } from "./catalog-size.ts";
import { ADAPTERS, CLIENT_NAMES, type ClientName, CORE_CLIENTS } from "./clients/names.ts";
import type { CallCounts, CallSizes, Curve } from "./measurement.ts";

/** What can be measured. */
export const MEASURES = [
  "start",
  "slow",
  "hang",
  "calls",
  "memory",
  "recovery",
  "growth",
  "curves",
  "own",
] as const;

export type Measure = (typeof MEASURES)[number];

/** How the server of the calls is reached; `everything` is a real server over its standard streams. */
export const CALL_TRANSPORTS = ["stdio", "http-json", "http-sse", "everything"] as const;

export type CallTransport = (typeof CALL_TRANSPORTS)[number];

/** What a run measures, and how much of it. */
export interface BenchSettings {
  readonly rounds: number;
  /** The rounds in which what takes long is measured: servers that are slow, and curves. */
  readonly longRounds: number;
  /** No round is begun that would probably end later than this, and no step after it, in milliseconds from the beginning. Default: no limit. */
  readonly budgetMs?: number | undefined;
  /** Of the order within the rounds. */
  readonly seed: number;
  readonly measures: readonly Measure[];
  readonly clients: readonly ClientName[];
  /** The clients whose growth and curves are measured. */
  readonly longClients: readonly ClientName[];
  /** How many stdio servers are started at once, one scenario each. */
  readonly serverCounts: readonly number[];
  /** How many there are when one of them is slow, or hangs. */
  readonly faultServers: number;
  readonly slowMs: number;
  /** When a client that waits for a server that hangs, or does not recover, is given up. */
  readonly patienceMs: number;
  readonly callCounts: { readonly [transport in CallTransport]: CallCounts };
  readonly callSizes: CallSizes;
  /** The numbers of sessions, and of tools of one server, whose memory is measured. */
  readonly sessionCounts: readonly number[];
  readonly toolCounts: readonly number[];
  readonly growth: { readonly calls: number; readonly reconnects: number };
  readonly curveSizes: { readonly [curve in Curve]: readonly number[] };
  /** The catalogs that are read. */
  readonly catalogSizes: readonly CatalogSize[];
  /** For what is measured of Jackfield alone: how many servers there are at once, and how many calls are made. */
  readonly scale: { readonly servers: number; readonly calls: number };
}

const SEED = 20_260_728;
const MEBIBYTE = 1024 * 1024;

/** As many as the measurement made that the targets are taken from. With fewer the engine is still compiling much of every client. */
const CALLS: CallCounts = { warmUp: 500, sequential: 1_000, large: 40, concurrent: 4_000 };

/** Everything, with every client that is installed: in 30 minutes on a quiet machine with two cores. */
export const FULL: BenchSettings = {
  rounds: 7,
  longRounds: 3,
  seed: SEED,
  measures: MEASURES,
  clients: CLIENT_NAMES,
  longClients: CORE_CLIENTS,
  serverCounts: [1, 5, 20, 50],
  faultServers: 20,
  slowMs: 3_000,
  patienceMs: 3_000,
  callCounts: {
    stdio: CALLS,
    "http-json": CALLS,
    "http-sse": CALLS,
    everything: { ...CALLS, large: 0 },
  },
  callSizes: { smallBytes: 100, largeBytes: MEBIBYTE, inFlight: 64 },
  sessionCounts: [1, 20, 100],
  toolCounts: [10_000],
  growth: { calls: 1_000_000, reconnects: 10_000 },
  curveSizes: {
    servers: [1, 10, 100, 1_000],
    tools: [10, 100, 1_000, 10_000],
    bytes: [100, 1_000, 10_000, 100_000, MEBIBYTE, 4 * MEBIBYTE, 16 * MEBIBYTE],
    "in flight": [1, 4, 16, 64, 256, 512],
  },
  catalogSizes: [MANY_SERVERS, MANY_TOOLS],
  scale: { servers: 1_000, calls: 50_000 },
};

/** What the targets need, with the clients that come with the workspace: within five minutes. */
export const QUICK: BenchSettings = {
  ...FULL,
  longRounds: 1,
  // Leaves room for starting up and for the last step.
  budgetMs: 270_000,
  measures: ["start", "hang", "calls", "memory", "growth", "curves"],
  clients: [...CORE_CLIENTS, ...ADAPTERS],
  longClients: ["jackfield"],
  serverCounts: [1, 20],
  patienceMs: 1_500,
  callCounts: {
    stdio: { ...CALLS, large: 5 },
    "http-json": { ...CALLS, sequential: 500, large: 0 },
    "http-sse": { ...CALLS, sequential: 500, large: 0 },
    everything: { warmUp: 0, sequential: 0, large: 0, concurrent: 0 },
  },
  sessionCounts: [100],
  curveSizes: {
    servers: [1, 10, 100],
    tools: [10, 100, 1_000, 10_000],
    bytes: [100, 1_000, 10_000, 100_000, MEBIBYTE],
    "in flight": [1, 4, 16, 64, 256],
  },
};
