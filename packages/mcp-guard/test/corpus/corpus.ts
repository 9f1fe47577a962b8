import { readFileSync } from "node:fs";
import type { InjectionSignal } from "../../src/scanning/injection-signals.ts";

interface SampleCommon {
  /** What kind of attack, output or text it is. */
  readonly class: string;
  /** Where the attack was described publicly, or which program gave the output. */
  readonly source: string;
  /** Written before the patterns were tuned, and not looked at while they were. */
  readonly heldOut: boolean;
  readonly text: string;
}

/** A text that tries to steer a model; `signal` is the technique it uses, `none` one that no signal is about. */
export type Attack = SampleCommon & { readonly kind: "attack"; readonly signal: InjectionSignal | "none" };

/** What a tool may honestly answer. */
export type Benign = SampleCommon & { readonly kind: "benign" };

/** Attacks, written for this corpus after public descriptions of their kind. */
export function readAttacks(): readonly Attack[] {
  return read<Attack>("attacks");
}

/** What real commands and MCP servers answered, and texts that were written because they are easily mistaken. */
export function readBenign(): readonly Benign[] {
  return [...read<Benign>("benign-outputs"), ...read<Benign>("hard-negatives")];
}

function read<T>(name: string): T[] {
  const text = readFileSync(new URL(`${name}.jsonl`, import.meta.url), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}
