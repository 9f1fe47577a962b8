/**
 * The module undici, which is part of this package's build: as it comes from npm, it asks for `require`, which a program that was bundled
 * into one ES module does not have. Loaded with the first call.
 *
 * @typeParam Undici - `typeof import("undici")`, whose types this package does not bring
 */
export async function loadUndici<Undici>(): Promise<Undici> {
  const { default: undici } = await import("undici");
  return undici as Undici;
}
