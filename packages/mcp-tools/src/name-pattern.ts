/**
 * Whether a name matches a pattern: `*` stands for any characters, including none and `/`; everything else is literal.
 *
 * Matches each piece between stars at its first occurrence, which needs no backtracking however long a server's name is.
 */
export function matchesPattern(pattern: string, name: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  const tail = rest.pop();
  if (tail === undefined) return pattern === name;
  if (!name.startsWith(head)) return false;
  let from = head.length;
  for (const piece of rest) {
    const at = name.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return name.length - tail.length >= from && name.endsWith(tail);
}
