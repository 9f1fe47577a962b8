import { describe, expect, test } from "vitest";
import { findHiddenCharacters, removeHiddenCharacters } from "../../src/cleaning/hidden-characters.ts";

/** One of each class of the threat list. */
const HIDDEN = [
  ["tag", "\u{e0041}", "U+E0041"],
  ["zero-width", "\u200b", "U+200B"],
  ["joiner", "\u200d", "U+200D"],
  ["bidirectional", "\u202e", "U+202E"],
  ["variation-selector", "\u{e0101}", "U+E0101"],
  ["soft-hyphen", "\u00ad", "U+00AD"],
  ["filler", "\u3164", "U+3164"],
  ["invisible-operator", "\u2063", "U+2063"],
  ["annotation", "\ufff9", "U+FFF9"],
] as const;

/** What people write, each piece combined below with others. */
const LEGITIMATE = [
  ...["👨‍👩‍👧‍👦", "🏳️‍🌈", "❤️", "👩🏽‍💻", "1️⃣", "#️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🇨🇭", "☎️", "🧑‍🚀"],
  ...[
    "می‌خواهم",
    "نمی‌دانم",
    "کتاب‌ها",
    "محمّ\u200cد",
    "שָׁלוֹם",
    "‏שלום world‏",
    "עברית (\u200fRTL\u200f)",
    "مرحبا \u200eHTML\u200e",
  ],
  ...["क्‍ष", "र्‍य", "শ্‍য", "ക്‍", "ശ്രീ‌മതി", "ක්‍ෂ", "ಕ್‍ಷ", "క్‍ష", "ক্‌ষ"],
  ...[
    "葛\u{e0100}城",
    "辻\u{e0101}",
    "∩︀",
    "ᠠ\u180b",
    "က\ufe00",
    "↔️",
    "\ufeffid,name",
    "co\u00adoperation",
    "naïve café",
    "日本語テキスト",
    "x² + y²",
  ],
];

describe("hidden characters", () => {
  test.each(HIDDEN)("[T55] a %s between letters is found once and removed", (kind, character, codePoint) => {
    const text = `ab${character} cd`;
    expect(findHiddenCharacters(text)).toEqual([{ kind, codePoint, index: 2 }]);
    expect(removeHiddenCharacters(text)).toBe("ab cd");
  });

  test("[T55] none are found in over 200 pairs of emoji, right-to-left, Indic and ideographic text", () => {
    const pairs = LEGITIMATE.flatMap((a) =>
      LEGITIMATE.map((b) => (b.startsWith("\ufeff") ? a : `${a} ${b}`)),
    );
    expect(pairs.length).toBeGreaterThan(200);
    const reported = pairs.filter((text) => findHiddenCharacters(text).length > 0);
    expect(reported).toEqual([]);
  });

  test("every letter of a sentence in tag characters is found and removed", () => {
    const smuggled = [..."ignore this"]
      .map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0)))
      .join("");
    expect(findHiddenCharacters(`fine${smuggled}`)).toHaveLength(11);
    expect(removeHiddenCharacters(`fine${smuggled} text`)).toBe("fine text");
  });

  test("tag characters of a flag's region are allowed, others are found", () => {
    const tags = (text: string) =>
      [...text].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");
    expect(findHiddenCharacters(`🏴${tags("gbsct")}\u{e007f}`)).toEqual([]);
    const flag = `🏴${tags("gbwls")}\u{e007f}`;
    expect(findHiddenCharacters(`${flag}a${tags("A")}${flag}${tags("B")}`)).toMatchObject([
      { codePoint: "U+E0041", index: flag.length + 1 },
      { codePoint: "U+E0042", index: 2 * flag.length + 3 },
    ]);
    expect(findHiddenCharacters(`🏴${tags("run this now")}\u{e007f}`)).toHaveLength(13);
  });

  test("[T55] the tags of a flag that Unicode does not recommend are removed", () => {
    const tags = (text: string) =>
      [...text].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");
    const flags = ["ignore", "all", "gbzzz", "usca"].map((word) => `🏴${tags(word)}\u{e007f}`);
    expect(removeHiddenCharacters(flags.join(""))).toBe("🏴🏴🏴🏴");
  });

  test.each([
    ["ASCII signs", "|"],
    ["mathematical signs without variants", "∑"],
    ["Mongolian letters", "\u1820"],
    ["Myanmar letters", "\u1000"],
  ])("[T55] all variation selectors behind %s are found except Unicode's own variants", (_, base) => {
    const selectors = Array.from({ length: 256 }, (__, byte) =>
      String.fromCodePoint(byte < 16 ? 0xfe00 + byte : 0xe0100 + byte - 16),
    );
    const kept = selectors.filter((selector) => findHiddenCharacters(base + selector).length === 0);
    expect(kept).toEqual(base === "\u1000" ? ["\ufe00"] : []);
  });

  test("an ideograph may have one ideographic variation selector", () => {
    for (const selector of ["\ufe00", "\ufe02", "\u{e0100}", "\u{e01ef}"])
      expect(findHiddenCharacters(`葛${selector}`)).toEqual([]);
    expect(findHiddenCharacters("葛\u{e0100}\u{e0101}")).toMatchObject([{ codePoint: "U+E0101" }]);
    expect(findHiddenCharacters("葛\ufe03葛\u180b葛\ufe0f")).toHaveLength(3);
  });

  test("a bidirectional override is found even among right-to-left letters", () => {
    expect(findHiddenCharacters("שלום \u202egpj.exe")).toMatchObject([{ kind: "bidirectional" }]);
  });

  test("[T55] bytes encoded in variation selectors behind an emoji are found and removed", () => {
    const smuggled = [..."run it"]
      .map((letter) => String.fromCodePoint(0xe0100 + letter.charCodeAt(0) - 16))
      .join("");
    expect(findHiddenCharacters(`😀${smuggled}`)).toHaveLength(6);
    expect(removeHiddenCharacters(`😀${smuggled}!`)).toBe("😀!");
    expect(findHiddenCharacters("1\ufe00 2\ufe01")).toHaveLength(2);
  });

  test("[T55] every default-ignorable code point is removed between letters", () => {
    const ignorable = /\p{Default_Ignorable_Code_Point}/u;
    const missed: string[] = [];
    for (let codePoint = 0x80; codePoint <= 0xe0fff; codePoint += 1) {
      const character = String.fromCodePoint(codePoint);
      // A soft hyphen between letters says where a word may be divided.
      if (!ignorable.test(character) || codePoint === 0xad) continue;
      if (removeHiddenCharacters(`a${character}b`) !== "ab") missed.push(codePoint.toString(16));
    }
    expect(missed).toEqual([]);
  });
});
