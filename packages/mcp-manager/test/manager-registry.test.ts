import type { ToolListPolicy } from "@jackfield/mcp-core";
import { expect, it, vi } from "vitest";
import { tool } from "./manager-fixture.ts";
import { startedManager } from "./tools/started-manager.ts";

const SERVERS = new Map([["a", [tool("read")]]]);

it.each([
  ["without a full stop", "it is dangerous", "A tool is not offered: it is dangerous."],
  ["with a full stop", "It is dangerous.", "A tool is not offered: It is dangerous."],
  ["with a question mark", "is it safe?", "A tool is not offered: is it safe?"],
])("a policy's reason %s is logged as one sentence", async (_, blocked, message) => {
  const log = vi.fn();
  const policy: ToolListPolicy = () => ({ blocked });
  const { manager } = await startedManager(SERVERS, { log, toolPolicies: [policy] });
  await manager.close();
  expect(log).toHaveBeenCalledWith("warn", message, { server: "a", tool: "read" });
});
