import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { tryFileLock, withFileLock } from "../../src/node.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const PROCESS = fileURLToPath(new URL("./fixtures/lock-process.ts", import.meta.url));

/** Another process that holds the lock. */
async function holder(path: string): Promise<ChildProcess> {
  const child = fork(PROCESS, [path], { execArgv: [] });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  });
  await once(child, "message");
  return child;
}

const lockPath = () => join(temporaryFolder(), "one.lock");

describe("the lock between processes", () => {
  it("keeps everybody else out until the work ends, even by an error", async () => {
    const path = lockPath();
    const steps: string[] = [];
    const begun = Promise.withResolvers<void>();
    const first = withFileLock(path, async () => {
      begun.resolve();
      expect(tryFileLock(path)).toBeUndefined();
      await new Promise((resolve) => setImmediate(resolve));
      steps.push("first");
      throw new Error("no");
    });
    await begun.promise;
    const second = withFileLock(path, () => void steps.push("second"));
    await expect(first).rejects.toThrow("no");
    await second;
    expect(steps).toEqual(["first", "second"]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("is free again once the process that held it was killed", async () => {
    const path = lockPath();
    const child = await holder(path);
    expect(tryFileLock(path)).toBeUndefined();
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    expect(await withFileLock(path, () => "taken")).toBe("taken");
    await exited;
  });

  it("is not released by a waiter that gives up", async () => {
    const path = lockPath();
    const child = await holder(path);
    const caller = new AbortController();
    const wait = withFileLock(path, () => "taken", { signal: caller.signal });
    caller.abort("enough");
    await expect(wait).rejects.toMatchObject({ code: "MCP_ABORTED", cause: "enough" });
    const late = withFileLock(path, () => "taken", { signal: caller.signal });
    await expect(late).rejects.toMatchObject({ code: "MCP_ABORTED" });
    expect(tryFileLock(path)).toBeUndefined();
    child.send("release");
    expect(await withFileLock(path, () => "taken")).toBe("taken");
  });

  it("is waited for no longer than it is said", async () => {
    const path = lockPath();
    using held = tryFileLock(path);
    expect(held).toBeDefined();
    await expect(withFileLock(path, () => "taken", { longestWaitMs: 0 })).rejects.toMatchObject({
      code: "MCP_LIMIT_EXCEEDED",
      message: expect.stringContaining(path),
    });
  });

  it("leaves what is no lock file as it is, and says so", async () => {
    const folder = temporaryFolder();
    const target = join(folder, "precious");
    writeFileSync(target, "This is no database. ".repeat(100));
    symlinkSync(target, join(folder, "link"));
    mkdirSync(join(folder, "folder"));
    for (const name of ["precious", "link", "folder"]) {
      const refusal = { code: "MCP_STORAGE_FAILED", message: expect.stringContaining("remove it") };
      await expect(withFileLock(join(folder, name), () => "taken")).rejects.toMatchObject(refusal);
    }
    const missing = withFileLock(join(folder, "missing", "one.lock"), () => "taken");
    await expect(missing).rejects.toMatchObject({ code: "MCP_STORAGE_FAILED" });
    expect(statSync(target).size).toBe(2_100);
  });
});
