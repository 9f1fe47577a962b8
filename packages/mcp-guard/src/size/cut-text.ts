/** Cuts a text to `maxLength` UTF-16 units, never within a surrogate pair. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const last = text.charCodeAt(maxLength - 1);
  const isCutInTwo = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, Math.max(0, isCutInTwo ? maxLength - 1 : maxLength));
}
