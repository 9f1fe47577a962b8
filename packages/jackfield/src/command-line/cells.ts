const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);

/** Printable ASCII takes a cell for each character, and is by far the most of what is shown. */
const IS_ASCII = /^[ -~]*$/;

/** How many cells of a terminal a text takes: two for a Chinese character or an emoji, none for an accent of its own. */
export function cellsOf(text: string): number {
  return IS_ASCII.test(text) ? text.length : loadStringWidth()(text);
}

/**
 * Loaded with the first text that needs it: what it knows of emoji takes longer to load than everything else of most commands. It is not
 * imported, because whoever measures a text would have to wait for that.
 */
function loadStringWidth(): (text: string) => number {
  const { default: stringWidth } = require("string-width") as typeof import("string-width");
  return stringWidth;
}

/**
 * As much of a text as so many cells hold, with an ellipsis where something is missing. A character that consists of several, such as
 * a letter with its accents or an emoji of a family, is kept whole or left out.
 *
 * @param keepsEnd - cuts in front
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
