import type { ToolDescriptor, ToolsChanged } from "@jackfield/mcp-core";

/** The tools that a view's listeners know of, by server. Reading the view's tools does not change them. */
export interface AnnouncedTools {
  /** Starts over: listeners know these tools from now on. */
  begin(tools: readonly ToolDescriptor[]): void;
  /** The change of a server's tools for a view that shows these now; `undefined` if it shows no change. Listeners then know of it. */
  next(tools: readonly ToolDescriptor[], change: ToolsChanged): ToolsChanged | undefined;
}

export function createAnnouncedTools(): AnnouncedTools {
  const announced = new Map<string, readonly string[]>();
  return {
    begin(tools) {
      announced.clear();
      const servers = Map.groupBy(tools, ({ server }) => server);
      for (const [server, own] of servers) announced.set(server, own.map(nameOf));
    },
    next(tools, { server, changed }) {
      const old = new Set(announced.get(server));
      const now = new Set(tools.filter((tool) => tool.server === server).map(nameOf));
      if (now.size > 0) announced.set(server, [...now]);
      else announced.delete(server);
      const visible: ToolsChanged = {
        server,
        added: [...now].filter((name) => !old.has(name)),
        removed: [...old].filter((name) => !now.has(name)),
        changed: changed.filter((name) => old.has(name) && now.has(name)),
      };
      const isChange = visible.added.length + visible.removed.length + visible.changed.length > 0;
      return isChange ? visible : undefined;
    },
  };
}

const nameOf = ({ name }: ToolDescriptor) => name;
