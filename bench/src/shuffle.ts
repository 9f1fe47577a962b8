/** Numbers from 0 up to, but without, 1; the same seed gives the same ones. The generator is mulberry32. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The items in another order, every order as likely as any other (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const remaining = [...items];
  return items.flatMap(() => remaining.splice(Math.floor(random() * remaining.length), 1));
}
