/** Numbers from 0 to below 1, always the same for the same seed. */
export type Random = () => number;

/** A linear congruential generator: poor, but repeatable, which is what a failing test needs. */
export function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const ORDINARY = [
  "a",
  "B",
  "7",
  "-",
  "--x=",
  "/",
  ".",
  ":",
  "@",
  " ",
  "  ",
  "\t",
  "é",
  "日本",
  "🎹",
  "\u2028",
  "'",
  ";",
];

/** An argument of up to eight pieces; now and then an empty one. */
export function randomArgument(random: Random, pieces: readonly string[]): string {
  const pool = [...pieces, ...pieces, ...ORDINARY];
  const length = Math.floor(random() * 9);
  return Array.from({ length }, () => pool[Math.floor(random() * pool.length)]).join("");
}
