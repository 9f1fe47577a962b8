const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;

/** What a message may be made of before anything walks through it. */
export interface JsonBounds {
  readonly depth: number;
  /** Members and elements in all. */
  readonly nodes: number;
}

/**
 * Whether a JSON text goes beyond the bounds. It is read without recursion and without building anything; the insides of
 * strings, which are most of a long message, are skipped.
 */
export function exceedsBounds(text: string, bounds: JsonBounds): boolean {
  // A short text cannot go beyond them.
  if (text.length <= bounds.depth) return false;
  let depth = 0;
  let nodes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = endOfString(text, index);
    } else if (code === COMMA) {
      nodes += 1;
    } else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      nodes += 1;
      if (depth > bounds.depth) return true;
    } else if (code === 0x5d || code === 0x7d) {
      depth -= 1;
    }
    if (nodes > bounds.nodes) return true;
  }
  return false;
}

/** The place of the quote that ends the string, or the end of a text that has none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
