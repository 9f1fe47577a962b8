import { cellsOf, fitCells } from "./cells.ts";
import type { Page } from "./page.ts";

const GAP = 2;
/** A cell cut below this width is of no use. */
const NARROWEST = 6;

export interface TableOptions {
  /** How many cells a line may take. Default: no limit. */
  readonly columns?: number | undefined;
  /** Columns that are cut at the front, because their end matters more, such as paths. */
  readonly keepsEnd?: readonly number[] | undefined;
  /** Whether the first row names the columns. */
  readonly hasHeading?: boolean | undefined;
  /** Colours a cell after it was cut to its width. */
  readonly paint?: ((cell: string, column: number, row: number) => string) | undefined;
}

/** Lines of columns, each as wide as its widest cell, or cut so that every line fits; lines have no trailing spaces. */
export function alignColumns(rows: readonly (readonly string[])[], options: TableOptions = {}): string {
  const { columns = Number.POSITIVE_INFINITY, keepsEnd = [], paint = (cell) => cell } = options;
  const widths = fittingWidths(naturalWidths(rows), columns);
  if (lineWidth(widths) > columns) return records(rows, { ...options, columns });
  const lines = rows.map((row, index) => {
    const last = row.findLastIndex((cell) => cell !== "");
    return row.slice(0, last + 1).map((cell, column) => {
      const width = widths[column] ?? 0;
      const shown = fitCells(cell, width, keepsEnd.includes(column));
      const padding = column === last ? "" : " ".repeat(width - cellsOf(shown));
      return paint(shown, column, index) + padding;
    });
  });
  return lines.map((cells) => `${cells.join(" ".repeat(GAP))}\n`).join("");
}

/** For a page that is too narrow for columns: one line per cell, indented below the first cell of its row. */
function records(
  rows: readonly (readonly string[])[],
  { columns, keepsEnd = [], hasHeading = false, paint = (cell) => cell }: TableOptions & { columns: number },
): string {
  const heading = hasHeading ? rows[0] : undefined;
  const lines = rows.flatMap((row, index) => {
    if (row === heading) return [];
    return row.flatMap((cell, column) => {
      if (cell === "" && column > 0) return [];
      const indent = column === 0 ? "" : "  ";
      const label = column === 0 || !heading?.[column] ? "" : `${heading[column]} `;
      const left = columns - indent.length;
      // A label that leaves no room for its cell is left out.
      const lead = left - cellsOf(label) < NARROWEST ? "" : label;
      const shown = fitCells(cell, Math.max(1, left - cellsOf(lead)), keepsEnd.includes(column));
      return [indent + lead + paint(shown, column, index)];
    });
  });
  return lines.map((line) => `${line}\n`).join("");
}

/** The options of a table on a page; the colour of a cell is looked up by its text, below the heading. */
export function tableOn(
  { columns, paint }: Page,
  { keepsEnd, tones = {} }: Pick<TableOptions, "keepsEnd"> & { readonly tones?: Tones },
): TableOptions {
  return {
    columns,
    keepsEnd,
    hasHeading: true,
    paint: (cell, _column, row) => {
      if (row === 0) return paint("faint", cell);
      // A server may be called `constructor`.
      const tone = Object.hasOwn(tones, cell) ? tones[cell] : undefined;
      return tone === undefined ? cell : paint(tone, cell);
    },
  };
}

type Tones = { readonly [cell: string]: Parameters<Page["paint"]>[0] };

function naturalWidths(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cellsOf(cell));
  }
  return widths;
}

/** Narrows the widest column until the line fits. */
function fittingWidths(natural: readonly number[], columns: number): readonly number[] {
  const widths = [...natural];
  let excess = lineWidth(widths) - columns;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST) break;
    widths[widths.indexOf(widest)] = widest - 1;
    excess -= 1;
  }
  return widths;
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1));
}
