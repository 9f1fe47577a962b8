/** Whether two values of a document say the same; the order of their members does not count. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return process.getBuiltinModule("node:util").isDeepStrictEqual(one, other);
}
