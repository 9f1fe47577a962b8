import { tellListener } from "../tell-listener.ts";
import type { InjectionSignal, SignalMatch } from "./injection-signals.ts";

/**
 * Where a text was found: in a result, an error, a tool's description or schema, a server's instructions, a resource or a
 * prompt.
 */
export type ScannedPlace =
  | "result"
  | "error"
  | "description"
  | "schema"
  | "instructions"
  | "resource"
  | "prompt";

/** A text that tries to steer a model, and its source. */
export interface InjectionFinding {
  readonly server: string;
  /** The tool's original name; missing if the text belongs to no tool. */
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

/** The source of a scanned text. */
export type ScannedText = Pick<InjectionFinding, "server" | "tool" | "where">;

/** The listener, and how much of a text is scanned. */
export interface ScanOptions {
  /**
   * Called for each text with a signal, never for harmless ones. Nothing is changed or withheld. Errors and rejections are
   * ignored.
   */
  readonly found: (finding: InjectionFinding) => void;
  /** How much of a text is scanned, in UTF-16 units. Default 1,000,000, far more than a model reads of a result; `0` = all. */
  readonly maxScannedChars?: number | undefined;
}

/** Reports matches to the listener, if there are any. */
export function reportMatches(
  found: ScanOptions["found"],
  text: ScannedText,
  matches: readonly FoundMatch[],
): void {
  if (matches.length === 0) return;
  const signals = [...new Set(matches.map(({ signal }) => signal))].sort();
  tellListener(found, { ...text, signals, matches });
}
