/**
 * Whether a name fits a pattern: `*` stands for any characters, also none, also `/`; everything else is literal.
 *
 * Takes each piece between stars at its first place, which needs no backtracking however long a server's name is.
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
