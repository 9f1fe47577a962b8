import { type Logger, McpError } from "@jackfield/mcp-core";
import { expect, test, vi } from "vitest";
import { createRedactingLogger } from "../src/redacting-logger.ts";
import { connect } from "./connecting.ts";
import { scriptedServer } from "./scripted-server.ts";

test("redacts a secret in the message and the fields, but not in the server's name", () => {
  const log = vi.fn<Logger>();
  createRedactingLogger(log, () => ["github"])("debug", "About github.", {
    server: "github",
    error: "no github",
    count: 2,
  });
  expect(log).toHaveBeenCalledExactlyOnceWith("debug", "About [redacted].", {
    server: "github",
    error: "no [redacted]",
    count: 2,
  });
});

test("a logger that throws does not affect the caller", () => {
  const fail = vi.fn<Logger>(() => {
    throw new McpError("MCP_ABORTED", "full");
  });
  expect(() => createRedactingLogger(fail, () => [])("debug", "About nothing.")).not.toThrow();
  expect(fail).toHaveBeenCalledExactlyOnceWith("debug", "About nothing.", {});
});

test("redacts the secrets of a server's entry in the log of its sessions", async () => {
  const server = scriptedServer(({ method }, { send, answer }) => {
    if (method !== "tools/call") return undefined;
    send({ id: 1, method: "roots/list" });
    answer({ content: [] });
    return true;
  });
  const log = vi.fn<Logger>();
  const roots = async () => {
    throw new Error("no folder for key-123456");
  };
  const session = await connect({ ...server, secrets: ["key-123456"] }, { handlers: { roots }, log });
  await session.request("tools/call", { name: "ask" });
  await vi.waitUntil(() => log.mock.calls.length > 0);
  expect(JSON.stringify(log.mock.calls)).toContain("no folder for [redacted]");
});
