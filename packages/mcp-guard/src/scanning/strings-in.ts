/** The deepest nesting that is followed. */
const MAX_DEPTH = 64;

/** Every string in a JSON value, names of members included, joined by newlines. Linear in the size of the value. */
export function stringsIn(...values: readonly unknown[]): string {
  const strings: string[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (typeof value === "string") strings.push(value);
    else if (typeof value === "object" && value !== null && depth < MAX_DEPTH) {
      for (const [name, member] of Object.entries(value)) {
        if (!Array.isArray(value)) strings.push(name);
        visit(member, depth + 1);
      }
    }
  };
  for (const value of values) visit(value, 0);
  return strings.join("\n");
}
