import { latePattern } from "./late-pattern.ts";

/** Characters are stored in pages of this many, which are allocated when needed; an alphabet shares a page or two. */
const PAGE_BITS = 10;
const PAGE_LENGTH = 1 << PAGE_BITS;
const PAGES = 0x110000 >> PAGE_BITS;
const EMPTY = new Uint8Array(PAGE_LENGTH);

/**
 * Caches one byte for each character, computed on first use, because sets of Unicode characters are slow to test one character
 * at a time.
 *
 * @param compute - gives the value to cache for a code point: 1 to 255.
 */
export function characterTable(compute: (codePoint: number) => number): (codePoint: number) => number {
  const pages = new Array<Uint8Array>(PAGES).fill(EMPTY);
  return (codePoint) => {
    const at = codePoint & (PAGE_LENGTH - 1);
    const known = pages[codePoint >> PAGE_BITS]?.[at] ?? 0;
    if (known !== 0) return known;
    const computed = compute(codePoint);
    const page = pages[codePoint >> PAGE_BITS] ?? EMPTY;
    const own = page === EMPTY ? new Uint8Array(PAGE_LENGTH) : page;
    own[at] = computed;
    pages[codePoint >> PAGE_BITS] = own;
    return computed;
  };
}

const YES = 1;
const NO = 2;

/**
 * Makes a test of whether a code point is in a set. A negative number, which stands for a missing character, is in none.
 *
 * @param set - a class of characters for a pattern with the flag `u`, for example `[\p{L}\p{M}]`.
 */
export function characterTest(set: string): (codePoint: number) => boolean {
  const pattern = latePattern(set, "u");
  const answer = characterTable((codePoint) => (pattern().test(String.fromCodePoint(codePoint)) ? YES : NO));
  return (codePoint) => codePoint >= 0 && answer(codePoint) === YES;
}
