import { tellListener } from "../tell-listener.ts";
import type { InjectionSignal, SignalMatch } from "./injection-signals.ts";

/** Where a text was: in an answer, in an error, in what a server says of itself or its tools, or in what it offers to read. */
export type ScannedPlace =
  | "result"
  | "error"
  | "description"
  | "schema"
  | "instructions"
  | "resource"
  | "prompt";

/** A text that tries to steer a model, and whose it is. */
export interface InjectionFinding {
  readonly server: string;
  /** The tool's original name; missing for what belongs to no tool. */
  readonly tool?: string | undefined;
  readonly where: ScannedPlace;
  /** Each kind of signal once, in alphabetical order. */
  readonly signals: readonly (InjectionSignal | "shadowing")[];
  /** Where each was found, in UTF-16 units; the texts of a result count as one, joined by newlines. */
  readonly matches: readonly FoundMatch[];
}

/** A signal, or the name of another server's tool. */
export type FoundMatch =
  | SignalMatch
  | { readonly signal: "shadowing"; readonly index: number; readonly length: number };

/** Whose text was scanned. */
export type ScannedText = Pick<InjectionFinding, "server" | "tool" | "where">;

/** Who hears of what was found, and how much is looked at. */
export interface ScanOptions {
  /**
   * Hears of each text with a signal. It is never told what is harmless, and nothing is changed or withheld. What it throws
   * or rejects with is lost.
   */
  readonly found: (finding: InjectionFinding) => void;
  /** So much of a text is scanned, in UTF-16 units: far more than a model reads of a result. Default 1,000,000; `0` = all. */
  readonly maxScannedChars?: number | undefined;
}

/** Tells a listener, if there is something to tell. */
export function reportMatches(
  found: ScanOptions["found"],
  text: ScannedText,
  matches: readonly FoundMatch[],
): void {
  if (matches.length === 0) return;
  const signals = [...new Set(matches.map(({ signal }) => signal))].sort();
  tellListener(found, { ...text, signals, matches });
}
