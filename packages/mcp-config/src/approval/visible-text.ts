// These are texts, because listing all characters of a property takes long, and most programs show nothing to anybody.

/** Control, format and separator characters, lone surrogates, unassigned and private ones, and what is drawn as nothing. */
const INVISIBLE = String.raw`\p{C}|\p{Zl}|\p{Zp}|\p{Variation_Selector}|\u034f|\u17b4|\u17b5|[\u115f\u1160\u2800\u3164\uffa0]`;
/** Spaces that look like the ordinary one, and are not. */
const OTHER_SPACE = String.raw`(?! )\p{Zs}`;

/**
 * A text as it can be shown to somebody who decides by it: every character that would not be seen, or would change how others
 * are seen, stands as its code, for example `\u{202E}`. Nothing is left out, and what it shows is unambiguous.
 */
export function visibleText(text: string): string {
  const code = (character: string) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;
  return text
    .replaceAll("\\", "\\\\")
    .replace(new RegExp(INVISIBLE, "gu"), code)
    .replace(new RegExp(OTHER_SPACE, "gu"), code);
}

/** The same between quotation marks, so that spaces at the ends and empty texts are seen. */
export function quotedText(text: string): string {
  return `"${visibleText(text).replaceAll('"', '\\"')}"`;
}
