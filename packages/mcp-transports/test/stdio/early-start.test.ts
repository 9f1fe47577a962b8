import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";

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
