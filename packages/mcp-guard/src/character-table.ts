import { latePattern } from "./late-pattern.ts";

/** Neighbours in an alphabet share a page of so many characters, and pages are made when they are needed. */
const PAGE_BITS = 10;
const PAGE_LENGTH = 1 << PAGE_BITS;
const PAGES = 0x110000 >> PAGE_BITS;
const EMPTY = new Uint8Array(PAGE_LENGTH);

/**
 * A byte for each character, computed when the character is first met and looked up from then on, because sets of Unicode
 * characters are slow to ask one character at a time.
 *
 * @param compute what to remember of a character, by its code point: 1 to 255.
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
 * Whether a character is in a set, by its code point; none is where there is no character (a negative number).
 *
 * @param set as in a pattern with the flag `u`, for example `[\p{L}\p{M}]`.
 */
export function characterTest(set: string): (codePoint: number) => boolean {
  const pattern = latePattern(set, "u");
  const answer = characterTable((codePoint) => (pattern().test(String.fromCodePoint(codePoint)) ? YES : NO));
  return (codePoint) => codePoint >= 0 && answer(codePoint) === YES;
}
