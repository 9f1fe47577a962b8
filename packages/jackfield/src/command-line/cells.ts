const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);

/** Printable ASCII, by far the most common text, takes one cell per character. */
const IS_ASCII = /^[ -~]*$/;

/** How many cells of a terminal a text takes: two for a Chinese character or an emoji, none for a combining accent. */
export function cellsOf(text: string): number {
  return IS_ASCII.test(text) ? text.length : loadStringWidth()(text);
}

/**
 * Loaded with the first text that needs it: its emoji data takes longer to load than everything else of most commands. It is not imported
 * dynamically, because measuring a text would then be asynchronous.
 */
function loadStringWidth(): (text: string) => number {
  const { default: stringWidth } = require("string-width") as typeof import("string-width");
  return stringWidth;
}

/**
 * Cuts a text to a number of cells, with an ellipsis where something is missing. A character of several code points, such as a letter with
 * its accents or an emoji of a family, is kept whole or left out.
 *
 * @param keepsEnd - cuts at the front
 */
export function fitCells(text: string, cells: number, keepsEnd = false): string {
  if (IS_ASCII.test(text) && text.length <= cells) return text;
  const characters = new Intl.Segmenter().segment(text);
  let cutAt = keepsEnd ? text.length : 0;
  let width = 0;
  for (const { segment, index } of keepsEnd ? [...characters].reverse() : characters) {
    width += cellsOf(segment);
    // The ellipsis takes a cell itself.
    if (width < cells) cutAt = keepsEnd ? index : index + segment.length;
    if (width > cells) return keepsEnd ? `…${text.slice(cutAt)}` : `${text.slice(0, cutAt)}…`;
  }
  return text;
}
