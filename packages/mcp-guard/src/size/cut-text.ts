/** As much of the text as fits, never half of a character that takes two UTF-16 units. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const last = text.charCodeAt(maxLength - 1);
  const isCutInTwo = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, Math.max(0, isCutInTwo ? maxLength - 1 : maxLength));
}
