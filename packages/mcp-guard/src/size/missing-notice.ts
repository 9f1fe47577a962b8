/** More reasons than a reader needs are counted. */
const MOST_REASONS = 5;

/** What a model is told of what it does not get to read. */
export function notice(
  what: "result" | "prompt" | "resource",
  missing: readonly string[],
  place?: string,
): string {
  const more = missing.length - MOST_REASONS;
  const told = [...missing.slice(0, MOST_REASONS), ...(more > 0 ? [`${more} more parts`] : [])].join(", ");
  const readOn = place === undefined ? "" : ` The whole is in ${place}.`;
  return `[This ${what} was too long. Missing: ${told}.${readOn}]`;
}
