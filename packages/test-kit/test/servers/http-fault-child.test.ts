import type { ToolDefinition } from "@jackfield/mcp-core";
import { expect, test } from "vitest";
import { startHttpFaultProcess } from "../../src/servers/http-fault-child.ts";
import { atEnd } from "../cleanup.ts";

test("a server process follows its script and exits when it is closed", async () => {
  const server = await startHttpFaultProcess({ on: { ping: { reply: { status: 503 } } } });
  atEnd(server.close);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const headers = { connection: "close" };
  expect((await fetch(server.url, { method: "POST", headers, body })).status).toBe(503);
  await Promise.all([server.close(), server[Symbol.asyncDispose]()]);
  expect(() => process.kill(server.pid, 0)).toThrow("ESRCH");
});

test("a server process that cannot start rejects with the reason", async () => {
  const tools = 5 as unknown as readonly ToolDefinition[];
  await expect(startHttpFaultProcess({ tools })).rejects.toThrow("not iterable");
});
