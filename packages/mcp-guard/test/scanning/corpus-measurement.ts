import {
  findInjectionSignals,
  INJECTION_SIGNALS,
  type InjectionSignal,
} from "../../src/scanning/injection-signals.ts";
import type { Attack, Benign } from "../corpus/corpus.ts";

/** How many of some samples a signal, or any, was found in. */
export interface Share {
  readonly hits: number;
  readonly samples: number;
}

export interface SignalFigures {
  readonly signal: InjectionSignal;
  /** Of the attacks that use its technique. */
  readonly tuned: Share;
  /** Of those that were held out. */
  readonly heldOut: Share;
  /** Of all honest samples. */
  readonly falseAlarms: Share;
}

export interface CorpusFigures {
  readonly signals: readonly SignalFigures[];
  readonly falseAlarms: number;
  readonly benign: number;
  /** In Markdown: what each signal found, and on which honest texts there were false alarms. */
  readonly tables: readonly string[];
}

/** Measures each signal, and all together, on the corpus. */
export function measureSignals(attacks: readonly Attack[], benign: readonly Benign[]): CorpusFigures {
  const tuned = attacks.filter(({ heldOut }) => !heldOut);
  const heldOut = attacks.filter((attack) => attack.heldOut);
  const signals = INJECTION_SIGNALS.map((signal) => {
    const uses = (attack: Attack) => attack.signal === signal;
    return {
      signal,
      tuned: share(tuned.filter(uses), signal),
      heldOut: share(heldOut.filter(uses), signal),
      falseAlarms: share(benign, signal),
    };
  });
  const any = { tuned: share(tuned), heldOut: share(heldOut), falseAlarms: share(benign) };
  const without = (samples: readonly Attack[]) => share(samples.filter(({ signal }) => signal === "none"));
  const none = { tuned: without(tuned), heldOut: without(heldOut) };
  const rows = [
    ...signals.map(({ signal, ...figures }) => row(`\`${signal}\``, figures)),
    row("a technique without a signal", none),
    row("any signal", any),
  ];
  const bySignal = [HEADER, "|---|---|---|---|", ...rows].join("\n");
  const tables = [bySignal, falseAlarmTable(benign)];
  return { signals, falseAlarms: any.falseAlarms.hits, benign: benign.length, tables };
}

function falseAlarmTable(benign: readonly Benign[]): string {
  const isReal = ({ class: kind }: Benign) => kind === "command output" || kind === "server output";
  const hard = benign.filter((sample) => !isReal(sample));
  const groups: readonly (readonly [string, readonly Benign[]])[] = [
    ["what real commands and servers answered", benign.filter(isReal)],
    ["texts that were written because they are easily mistaken", hard],
    ["those of them that were held out", hard.filter(({ heldOut }) => heldOut)],
  ];
  const rows = groups.map(([title, samples]) => `| ${title} | ${rate(share(samples))} |`);
  return ["| honest texts | false alarms |", "|---|---|", ...rows].join("\n");
}

const HEADER = "| signal | attacks found | held-out attacks found | false alarms |";

function row(title: string, { tuned, heldOut, falseAlarms }: Partial<SignalFigures>): string {
  const alarms = falseAlarms === undefined ? "" : `${rate(falseAlarms)}`;
  return `| ${title} | ${count(tuned)} | ${count(heldOut)} | ${alarms} |`;
}

function count(figures: Share | undefined): string {
  return figures === undefined ? "" : `${figures.hits} of ${figures.samples}`;
}

function rate({ hits, samples }: Share): string {
  return `${hits} of ${samples} (${((100 * hits) / samples).toFixed(1)} %)`;
}

function share(samples: readonly (Attack | Benign)[], signal?: InjectionSignal): Share {
  const found = samples.filter(({ text }) => {
    const matches = findInjectionSignals(text);
    return signal === undefined ? matches.length > 0 : matches.some((match) => match.signal === signal);
  });
  return { hits: found.length, samples: samples.length };
}
