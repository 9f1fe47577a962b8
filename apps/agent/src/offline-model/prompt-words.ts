/** Words that say nothing about which tool is meant. */
const STOP_WORDS = new Set(
  (
    "a about all an and are as at be by can could do does for from get give have how i in into is it its let me my now of " +
    "on or over please show some tell that the then this to tool use using was what which who with would you your"
  ).split(" "),
);

/** Lower-case words without plural endings; `camelCase`, `kebab-case` and `snake_case` are taken apart. */
export function splitWords(text: string): string[] {
  const parted = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return (parted.match(/[\p{L}\p{N}]+/gu) ?? []).map(singular);
}

/** The words of a text that may tell one tool from another. */
export function tellingWords(text: string): Set<string> {
  return new Set(splitWords(text).filter((word) => !STOP_WORDS.has(word)));
}

/** Good enough for tool names: `entities` and `entity`, `files` and `file` become the same word. */
function singular(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (word.length > 3 && /[^su]s$/.test(word)) return word.slice(0, -1);
  return word;
}
