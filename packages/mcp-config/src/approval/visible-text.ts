// These patterns are strings, compiled on use: compiling Unicode properties is slow, and most programs show nothing to approve.

/** Control, format and separator characters, lone surrogates, unassigned and private ones, and characters that render as nothing. */
const INVISIBLE = String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]`;
/** Spaces that look like the ordinary one but are others. */
const OTHER_SPACE = String.raw`(?! )\p{Zs}`;

/**
 * A text in a form that a user can decide by: every character that is invisible, or changes how others appear, is shown as its
 * code, for example `\u{202E}`. Nothing is left out, and the result is unambiguous.
 */
export function visibleText(text: string): string {
  const code = (character: string) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;
  return text
    .replaceAll("\\", "\\\\")
    .replace(new RegExp(INVISIBLE, "gu"), code)
    .replace(new RegExp(OTHER_SPACE, "gu"), code);
}

/** The same in quotation marks, so that leading and trailing spaces and empty texts are visible. */
export function quotedText(text: string): string {
  return `"${visibleText(text).replaceAll('"', '\\"')}"`;
}
