import type { LockableTools } from "../../src/lock/mcp-lock.ts";
import { offeredTool } from "../tool-fixture.ts";

/** Two servers as they are when the lock is made. */
export function locked(): LockableTools {
  const schema = { type: "object" as const, properties: { path: { type: "string" } } };
  return {
    servers: [
      { name: "web", toolsFrom: "live" },
      {
        name: "files",
        toolsFrom: "live",
        serverInfo: { name: "files-server", version: "1.0.0", title: "Files" },
      },
    ],
    tools: [
      offeredTool({ name: "write_file", inputSchema: schema }),
      offeredTool({ name: "read_file", description: "Reads", inputSchema: schema, _meta: { x: 1 } }),
      offeredTool({ name: "fetch" }, "web"),
    ],
  };
}
