const NUMBERS = [0, -1, 0.5, 2, Number.POSITIVE_INFINITY]; // as JSON writes 1e999
const REPLACEMENTS = [undefined, null, "", "text", "ä", ...NUMBERS, true, [], [1], ["a"], {}, { a: 1 }];

/** Every value that differs from this one in one place, as if it had been read from JSON: what is undefined is left out. */
export function* variants(value: unknown): Generator<unknown> {
  yield* REPLACEMENTS;
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    for (const variant of variants(part)) {
      const copy: unknown[] | object = Array.isArray(value) ? [...value] : { ...value };
      if (variant !== undefined) Reflect.set(copy, key, variant);
      else if (Array.isArray(copy)) copy.splice(Number(key), 1);
      else Reflect.deleteProperty(copy, key);
      yield copy;
    }
  }
  if (!Array.isArray(value))
    yield* [
      { ...value, type: "text" },
      { ...value, more: 1 },
    ];
}
