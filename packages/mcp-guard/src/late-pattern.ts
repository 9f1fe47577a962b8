/**
 * A pattern that is built when it is first needed. Sets of Unicode characters take milliseconds to build, and most texts are
 * judged without them.
 */
export function latePattern(source: string, flags: string): () => RegExp {
  let pattern: RegExp | undefined;
  return () => {
    pattern ??= new RegExp(source, flags);
    return pattern;
  };
}
