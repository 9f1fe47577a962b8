import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { MessageCheck } from "../../src/message-check.ts";
import { createStdioTransport } from "../../src/stdio/stdio-transport.ts";

const FIXTURE = fileURLToPath(new URL("../fixtures/slow-sdk.mjs", import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "jackfield-early-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a process starts while the SDK is loaded, and nothing that it writes until then is lost", async () => {
  const args = ["--no-warnings", FIXTURE, join(folder, "mark")];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const failure = JSON.parse(stdout);
  expect(failure.code).toBe("MCP_SERVER_EXITED");
  expect(failure.message).toContain("words before anybody listens");
});

test("a transport that is closed before the SDK is there starts no process", async () => {
  const check = Promise.withResolvers<MessageCheck>();
  const takeCharge = vi.fn();
  const server = {
    transport: "stdio",
    name: "early",
    command: process.execPath,
    args: [],
    env: {},
    secrets: [],
  } as const;
  const transport = createStdioTransport(server, {
    maxMessageBytes: 0,
    check: () => check.promise,
    takeCharge,
    onStrayOutput: () => {},
  });
  const starting = transport.start();
  await transport.close();
  check.resolve((message) => message);
  await expect(starting).rejects.toThrow("starts once");
  expect(takeCharge).not.toHaveBeenCalled();
});
