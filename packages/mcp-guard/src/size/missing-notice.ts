/** Reasons beyond this number are only counted. */
const MOST_REASONS = 5;

/** The notice that tells a model what was left out. */
export function notice(
  what: "result" | "prompt" | "resource",
  missing: readonly string[],
  place?: string,
): string {
  const more = missing.length - MOST_REASONS;
  const listed = [...missing.slice(0, MOST_REASONS), ...(more > 0 ? [`${more} more parts`] : [])].join(", ");
  const readOn = place === undefined ? "" : ` The full result is in ${place}.`;
  return `[This ${what} was too long. Missing: ${listed}.${readOn}]`;
}
