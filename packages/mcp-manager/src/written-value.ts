/** A value that cannot be right, as an error names it. Not everything can be written as JSON, and nothing is worth another error. */
export function writtenValue(value: unknown): string {
  if (typeof value === "number") return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return `a ${typeof value}`;
  }
}
