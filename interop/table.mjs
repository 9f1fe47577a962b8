// Writes rows in columns.

/** One line for each row, and one with the names of the columns first. */
export function printTable(columns, rows) {
  const lines = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? "")))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index].length)));
  for (const line of lines)
    print(
      line
        .map((cell, index) => cell.padEnd(widths[index]))
        .join("  ")
        .trimEnd(),
    );
}

export function print(line) {
  process.stdout.write(`${line}\n`);
}
