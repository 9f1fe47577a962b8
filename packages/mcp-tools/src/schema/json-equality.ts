/** Whether two JSON values are the same, whatever the order of their members. Objects of any prototype are compared alike. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(other, key) &&
      isSameJson((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]),
  );
}

/** A text that two JSON values share exactly if they are the same. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return { entries: Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)) };
  });
}

/** Whether a number is a multiple of another, up to the rounding of binary fractions. */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (divisor <= 0) return true;
  const quotient = value / divisor;
  if (!Number.isFinite(quotient)) return value % divisor === 0;
  const distance = Math.abs(quotient - Math.round(quotient));
  return distance <= Number.EPSILON * Math.max(1, Math.abs(quotient)) * 4;
}
