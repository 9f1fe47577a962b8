import type { ToolFilter } from "@jackfield/mcp-core";

/**
 * Whether a filter lets a tool through, by its original name. `exclude` beats `include`; an empty `include` lets all through.
 * `*` stands for any characters, `/` among them; everything else is literal.
 */
export function isIncluded(filter: ToolFilter | undefined, tool: string): boolean {
  if (filter === undefined) return true;
  const { include = [], exclude = [] } = filter;
  if (exclude.some((pattern) => matchesGlob(pattern, tool))) return false;
  return include.length === 0 || include.some((pattern) => matchesGlob(pattern, tool));
}

/** Compares part by part between the stars: linear, whatever the pattern. */
export function matchesGlob(pattern: string, text: string): boolean {
  const parts = pattern.split("*");
  const first = parts[0] ?? "";
  if (parts.length === 1) return pattern === text;
  const last = parts.at(-1) ?? "";
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
    return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
