/**
 * Whether two values are equal as JSON, in any order of members. Values that are not JSON, such as functions and class instances, equal
 * only themselves. Not from `node:util`, because importing that would slow down every start.
 */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a)) return Array.isArray(b) && isSameArray(a, b);
  return isPlainObject(a) && isPlainObject(b) && isSameObject(a, b);
}

function isSameArray(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, index) => isSameJson(value, b[index]));
}

function isSameObject(a: PlainObject, b: PlainObject): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && isSameJson(a[name], b[name]));
}

type PlainObject = { readonly [name: string]: unknown };

function isPlainObject(value: unknown): value is PlainObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null; // Every realm has an Object.prototype of its own.
}
