/** Whether two values of a document are deeply equal; the order of members does not count. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return process.getBuiltinModule("node:util").isDeepStrictEqual(one, other);
}
