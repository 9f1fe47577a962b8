/** The middle of some numbers: half of them are smaller. */
export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}

/**
 * The number below which a share of the numbers lies, between 0 and 1; between two numbers it is interpolated.
 * Throws for no numbers: a figure that was not measured is not zero.
 */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined)
    throw new RangeError("There is nothing to take a quantile of.");
  return below + (above - below) * (position - Math.floor(position));
}

/** A figure over all rounds. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** The median and how far the numbers lie apart. */
export function spreadOf(numbers: readonly number[]): Spread {
  return { median: median(numbers), lowest: quantile(numbers, 0), highest: quantile(numbers, 1) };
}
