import { silentLogger } from "@jackfield/mcp-core";
import { expect, it } from "vitest";
import { createLateConnector } from "../src/transports.ts";

it("a load of the transports that failed is tried again by the next attempt", async () => {
  let failures = 1;
  const connect = createLateConnector({
    get clientInfo() {
      failures -= 1;
      if (failures >= 0) throw new Error("no file descriptor is left");
      return { name: "test", version: "1" };
    },
  });
  const server = {
    name: "a",
    transport: "stdio",
    command: "no-such-command",
    args: [],
    env: {},
    secrets: [],
  } as const;
  const attempt = () => connect(server, { signal: AbortSignal.timeout(30_000), log: silentLogger });
  await expect(attempt()).rejects.toThrow("no file descriptor is left");
  await expect(attempt()).rejects.toMatchObject({ code: "MCP_COMMAND_NOT_FOUND" });
});
