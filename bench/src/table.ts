import type { Spread } from "./statistics.ts";

/** Stands where nothing was measured. */
const NOTHING = "-";

/** A table of text. The first `labels` columns stand on the left, the others, numbers, on the right. */
export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly labels: number;
}

/** Lines in which each column has the width of its widest cell. */
export function formatTable({ header, rows, labels }: Table): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    widths
      .map((width, column) => {
        const cell = cells[column] ?? "";
        return column < labels ? cell.padEnd(width) : cell.padStart(width);
      })
      .join("  ")
      .trimEnd();
  return [header, widths.map((width) => "-".repeat(width)), ...rows].map(line).join("\n");
}

/** A number with about three significant digits. */
export function formatNumber(number: number | undefined): string {
  if (number === undefined) return NOTHING;
  if (number === 0) return "0";
  if (number >= 100) return Math.round(number).toLocaleString("en");
  return number.toPrecision(number < 1 ? 2 : 3);
}

/** A ratio with its spread: `0.98 (0.91-1.07)`. */
export function formatRatio(spread: Spread | undefined): string {
  if (spread === undefined) return NOTHING;
  const { median, lowest, highest } = spread;
  return `${median.toFixed(2)} (${lowest.toFixed(2)}-${highest.toFixed(2)})`;
}
