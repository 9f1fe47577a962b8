import { parseArgs } from "node:util";
import { CLIENT_NAMES } from "./clients/names.ts";
import { type BenchSettings, FULL, MEASURES, QUICK } from "./settings.ts";

export const HELP = `Measures Jackfield beside other clients, and beside a hand-written JSON-RPC loop as the limit.

  pnpm bench            everything, with every client that pnpm bench:setup has installed
  pnpm bench --quick    the targets alone, with the clients of the workspace, within five minutes

  --only LIST          of ${MEASURES.join(", ")}
  --clients LIST       of ${CLIENT_NAMES.join(", ")}
  --rounds N           so many rounds, however long they take; of slow servers and curves --long-rounds N
  --minutes N          begins no round that would probably end later
  --servers LIST       how many servers are started, each number for itself
  --fault-servers N    how many there are when one is slow or hangs
  --calls N            calls in turn; --large-calls N with large answers, --concurrent-calls N at once
  --sizes A,B          bytes of a text and of a large answer
  --in-flight N        calls under way at once
  --sessions LIST      --tools LIST: whose memory is measured
  --growth-calls N     --growth-reconnects N: over how many growth is measured
  --patience-ms N      when a client that does not recover from a fault is given up
  --seed N             of the order within the rounds
  --results DIR        where <date>.json, latest.json and the charts are written; a quick run writes none without
  --json FILE          writes the raw figures to FILE as well
  --help               prints this text

LIST is comma-separated.
`;

/** What was asked for. */
export interface CommandLine {
  readonly help: boolean;
  /** A file for the raw figures. */
  readonly json?: string | undefined;
  /** A directory for the results. Default: that of the package for a full run, none for a quick one. */
  readonly results?: string | undefined;
  readonly isQuick: boolean;
  readonly settings: BenchSettings;
}

const TEXT = { type: "string" } as const;
const OPTIONS = {
  quick: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
  json: TEXT,
  results: TEXT,
  only: TEXT,
  clients: TEXT,
  rounds: TEXT,
  "long-rounds": TEXT,
  minutes: TEXT,
  servers: TEXT,
  "fault-servers": TEXT,
  calls: TEXT,
  "large-calls": TEXT,
  "concurrent-calls": TEXT,
  sizes: TEXT,
  "in-flight": TEXT,
  sessions: TEXT,
  tools: TEXT,
  "growth-calls": TEXT,
  "growth-reconnects": TEXT,
  "patience-ms": TEXT,
  seed: TEXT,
} as const;

type OptionName = keyof typeof OPTIONS;
type Values = Readonly<Partial<Record<OptionName, string | boolean>>>;

/** Reads the arguments. Throws an error with a text for the user if they cannot be right. */
export function readCommandLine(args: readonly string[]): CommandLine {
  const { values } = parseArgs({
    args: args.filter((arg) => arg !== "--"), // package managers hand their separator on
    options: OPTIONS,
  });
  const { quick, help, json, results } = values;
  return { help, json, results, isQuick: quick, settings: settingsOf(values, quick ? QUICK : FULL) };
}

function settingsOf(values: Values, base: BenchSettings): BenchSettings {
  const number = (name: OptionName) => readNumber(values, name);
  const numbers = (name: OptionName) => readList(values, name, (text) => wholeNumber(name, text));
  const ascending = (name: OptionName) => numbers(name)?.sort((a, b) => a - b);
  const names = <Name extends string>(name: OptionName, known: readonly Name[]) =>
    readList(values, name, (text) => knownName(name, text, known));
  const clients = names("clients", CLIENT_NAMES);
  const minutes = number("minutes");
  const rounds = number("rounds");
  const [smallBytes, largeBytes] = numbers("sizes") ?? [];
  return {
    ...base,
    measures: names("only", MEASURES) ?? base.measures,
    // Who is named is measured in everything.
    ...(clients !== undefined && { clients, longClients: clients }),
    rounds: rounds ?? base.rounds,
    longRounds: number("long-rounds") ?? base.longRounds,
    budgetMs: minutes === undefined ? (rounds === undefined ? base.budgetMs : undefined) : minutes * 60_000,
    serverCounts: ascending("servers") ?? base.serverCounts,
    faultServers: number("fault-servers") ?? base.faultServers,
    patienceMs: number("patience-ms") ?? base.patienceMs,
    seed: number("seed") ?? base.seed,
    sessionCounts: ascending("sessions") ?? base.sessionCounts,
    toolCounts: ascending("tools") ?? base.toolCounts,
    growth: {
      calls: number("growth-calls") ?? base.growth.calls,
      reconnects: number("growth-reconnects") ?? base.growth.reconnects,
    },
    callSizes: {
      smallBytes: smallBytes ?? base.callSizes.smallBytes,
      largeBytes: largeBytes ?? base.callSizes.largeBytes,
      inFlight: number("in-flight") ?? base.callSizes.inFlight,
    },
    callCounts: countsOf(base, {
      sequential: number("calls"),
      large: number("large-calls"),
      concurrent: number("concurrent-calls"),
    }),
  };
}

type Counts = BenchSettings["callCounts"];

/** The numbers of calls that were asked for hold for every transport whose calls are measured; not every one has large answers. */
function countsOf(
  { callCounts }: BenchSettings,
  asked: { readonly [part in "sequential" | "large" | "concurrent"]: number | undefined },
): Counts {
  const changed = Object.entries(callCounts).map(([transport, counts]) => [
    transport,
    counts.concurrent === 0
      ? counts
      : {
          warmUp: counts.warmUp,
          sequential: asked.sequential ?? counts.sequential,
          large: counts.large === 0 ? 0 : (asked.large ?? counts.large),
          concurrent: asked.concurrent ?? counts.concurrent,
        },
  ]);
  return Object.fromEntries(changed) as Counts;
}

function readNumber(values: Values, name: OptionName): number | undefined {
  const text = values[name];
  return typeof text === "string" ? wholeNumber(name, text) : undefined;
}

function readList<Item>(values: Values, name: OptionName, read: (text: string) => Item): Item[] | undefined {
  const text = values[name];
  return typeof text === "string" ? text.split(",").map((item) => read(item.trim())) : undefined;
}

function wholeNumber(name: OptionName, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new RangeError(`--${name} takes a whole number of at least 1, not "${text}".`);
}

function knownName<Name extends string>(option: OptionName, text: string, known: readonly Name[]): Name {
  const name = known.find((candidate) => candidate === text);
  if (name !== undefined) return name;
  throw new RangeError(`--${option} does not know "${text}"; there are: ${known.join(", ")}.`);
}
