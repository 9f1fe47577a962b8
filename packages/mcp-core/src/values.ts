/** Any value that JSON can carry. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** A JSON object whose members are not known beforehand, such as `_meta` or a tool's structured content. */
export type JsonObject = { [key: string]: unknown };

/** Whether a value is an object with members: neither `null` nor an array. Instances of classes are records, too. */
export function isRecord(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Freezes a value with all that is in it, and returns it. What is frozen already is left as it is. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  // Values are JSON, so nothing is inherited; `for in` takes half the time of listing them first.
  for (const name in value) deepFreeze(value[name]);
  return value;
}

/** Characters that are compared for one unit of work. */
const CHARACTERS_PER_UNIT = 128;

/**
 * Whether two values are equal as JSON, in any order of their own members. Values that are not JSON, such as functions and instances of
 * classes, equal only themselves.
 *
 * @param work - is told how much was compared, in units of a member each, and may throw to end it. Default: not counted.
 */
export function isSameJson(
  one: unknown,
  other: unknown,
  work?: { spend(units: number): void } | undefined,
): boolean {
  if (typeof one === "string" && typeof other === "string" && one.length === other.length)
    work?.spend(one.length / CHARACTERS_PER_UNIT);
  // JSON has neither NaN, which is compared as the same, nor a zero with a sign, which is compared as a number.
  if (one === other || Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    if (one.length !== other.length) return false;
    return one.every((item, index) => {
      work?.spend(1 / 4);
      return isSameJson(item, other[index], work);
    });
  }
  if (!isPlainRecord(one) || !isPlainRecord(other)) return false;
  const names = Object.keys(one);
  const others = Object.keys(other);
  work?.spend((names.length + others.length) / 2 + 1);
  if (names.length !== others.length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isSameJson(one[name], other[name], work));
}

/**
 * JSON in which the members of every object stand in the order of their names, so that equal values give the same text.
 *
 * @throws TypeError for a value that JSON cannot hold, and RangeError for one that is nested too deeply
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    isRecord(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}

function isPlainRecord(value: unknown): value is JsonObject {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null; // Every realm has an Object.prototype of its own.
}
