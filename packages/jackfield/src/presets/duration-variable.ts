/** How the environment names times: like `process.env`. */
export type Variables = { readonly [name: string]: string | undefined };

/**
 * A time in milliseconds out of the environment; `undefined` where the variable is missing, empty or no such time, which the runtimes
 * that have such variables pass over without a word.
 *
 * @param leastMs - the shortest time that counts
 */
export function durationVariable(env: Variables, name: string, leastMs: number): number | undefined {
  const text = env[name]?.trim();
  const durationMs = text === undefined || text === "" ? Number.NaN : Number(text);
  return Number.isFinite(durationMs) && durationMs >= leastMs ? durationMs : undefined;
}
