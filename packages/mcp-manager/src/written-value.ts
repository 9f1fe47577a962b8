/** An invalid value as text for an error message. Never throws: not every value can be written as JSON. */
export function writtenValue(value: unknown): string {
  if (typeof value === "number") return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return `a ${typeof value}`;
  }
}
