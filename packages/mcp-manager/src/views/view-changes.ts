import type { ToolDescriptor, ToolsChanged } from "@jackfield/mcp-core";

/** What a change of a server's tools is for a view that let through `before` and lets through `after`; `undefined` if it is none. */
export function changesBetween(
  before: readonly ToolDescriptor[],
  after: readonly ToolDescriptor[],
  { server, changed }: ToolsChanged,
): ToolsChanged | undefined {
  const namesOf = (tools: readonly ToolDescriptor[]) =>
    new Set(tools.flatMap((tool) => (tool.server === server ? [tool.name] : [])));
  const old = namesOf(before);
  const now = namesOf(after);
  const visible: ToolsChanged = {
    server,
    added: [...now].filter((name) => !old.has(name)),
    removed: [...old].filter((name) => !now.has(name)),
    changed: changed.filter((name) => old.has(name) && now.has(name)),
  };
  const isChange = visible.added.length + visible.removed.length + visible.changed.length > 0;
  return isChange ? visible : undefined;
}
