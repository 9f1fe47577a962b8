import { parseArgs } from "node:util";
import type { BenchSettings } from "./bench.ts";
import { MANY_SERVERS, MANY_TOOLS } from "./catalog-size.ts";

export const HELP = `Measures Jackfield beside the official SDK's client and a hand-written JSON-RPC loop.

  pnpm bench            10 rounds with 1, 5 and 20 servers, several minutes
  pnpm bench --quick    up to 5 rounds with 1, 5 and 20 servers, within 90 seconds

  --rounds N    so many rounds, however long they take
  --json FILE   write the raw figures to FILE as well
  --help        print this text
`;

/** What was asked for. */
export interface CommandLine {
  readonly help: boolean;
  /** A file for the raw figures. */
  readonly json?: string | undefined;
  readonly settings: BenchSettings;
}

const SEED = 20_260_728;

const FULL: BenchSettings = {
  rounds: 10,
  seed: SEED,
  serverCounts: [1, 5, 20],
  callCounts: {
    stdio: { warmUp: 1_000, sequential: 2_000, concurrent: 20_000 },
    "http-json": { warmUp: 500, sequential: 1_000, concurrent: 4_000 },
    "http-sse": { warmUp: 500, sequential: 1_000, concurrent: 4_000 },
  },
  catalogSizes: [MANY_SERVERS, MANY_TOOLS],
  scale: { servers: 1_000, calls: 50_000 },
};

const QUICK: BenchSettings = {
  rounds: 5,
  // Leaves room for starting up and for a last round that takes longer than those before.
  budgetMs: 75_000,
  seed: SEED,
  serverCounts: [1, 5, 20],
  callCounts: {
    stdio: { warmUp: 500, sequential: 500, concurrent: 5_000 },
    // Fewer would measure how fast each client is compiled.
    "http-json": { warmUp: 500, sequential: 300, concurrent: 2_000 },
    "http-sse": { warmUp: 500, sequential: 300, concurrent: 2_000 },
  },
  catalogSizes: [MANY_SERVERS, MANY_TOOLS],
  scale: { servers: 1_000, calls: 50_000 },
};

/** Reads the arguments. Throws an error with a text for the user if they cannot be right. */
export function readCommandLine(args: readonly string[]): CommandLine {
  const { values } = parseArgs({
    args: args.filter((arg) => arg !== "--"), // package managers hand their separator on
    options: {
      quick: { type: "boolean", default: false },
      rounds: { type: "string" },
      json: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const settings = values.quick ? QUICK : FULL;
  if (values.rounds === undefined) return { help: values.help, json: values.json, settings };
  const rounds = readRounds(values.rounds);
  return { help: values.help, json: values.json, settings: { ...settings, rounds, budgetMs: undefined } };
}

function readRounds(text: string): number {
  const rounds = Number(text);
  if (Number.isSafeInteger(rounds) && rounds > 0) return rounds;
  throw new RangeError(`--rounds takes a whole number of at least 1, not "${text}".`);
}
