/** Environment variables, as in `process.env`. */
export type Variables = { readonly [name: string]: string | undefined };

/**
 * A duration in milliseconds from the environment; `undefined` if the variable is missing, empty or invalid, which the runtimes that have
 * such variables ignore without a warning.
 *
 * @param leastMs - the shortest valid duration
 */
export function durationVariable(env: Variables, name: string, leastMs: number): number | undefined {
  const text = env[name]?.trim();
  const durationMs = text === undefined || text === "" ? Number.NaN : Number(text);
  return Number.isFinite(durationMs) && durationMs >= leastMs ? durationMs : undefined;
}
