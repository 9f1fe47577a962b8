import type { ToolDescriptor } from "@jackfield/mcp-core";

/**
 * The tool that a model means by a name that no tool has: it may have left out the prefix, or written another case or other separators.
 *
 * @returns `undefined` if none or several may be meant
 */
export function meantTool(name: string, tools: readonly ToolDescriptor[]): ToolDescriptor | undefined {
  const wanted = plain(name);
  const meant = tools.filter(({ name: exposed, server, originalName }) =>
    [exposed, originalName, `${server}${originalName}`].some((known) => plain(known) === wanted),
  );
  return meant.length === 1 ? meant[0] : undefined;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}
