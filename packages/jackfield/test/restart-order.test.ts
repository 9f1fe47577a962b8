import type { ChildProcess } from "node:child_process";
import { recordStatuses, useLeakCheck } from "@jackfield/test-kit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openMcp } from "../src/index.ts";
import { everything, useTemporaryHome } from "./fixture.ts";

useLeakCheck();
useTemporaryHome();

const childProcesses = process.getBuiltinModule("node:child_process");
const fileSystem = process.getBuiltinModule("node:fs");

/** Notes when a process is started, when all are listed, and when a file is written. */
function noteOrder() {
  const { spawn } = childProcesses;
  const { readdirSync, writeFileSync } = fileSystem;
  const noted: string[] = [];
  const children: ChildProcess[] = [];
  vi.spyOn(childProcesses, "spawn").mockImplementation(((...given: Parameters<typeof spawn>) => {
    noted.push("started");
    const child = spawn(...given);
    children.push(child);
    return child;
  }) as typeof spawn);
  vi.spyOn(fileSystem, "readdirSync").mockImplementation(((...given: Parameters<typeof readdirSync>) => {
    if (given[0] === "/proc") noted.push("listed");
    return readdirSync(...given);
  }) as typeof readdirSync);
  vi.spyOn(fileSystem, "writeFileSync").mockImplementation((...given) => {
    noted.push("recorded");
    writeFileSync(...given);
  });
  return { noted, children };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe.runIf(process.platform === "linux")("a local server that died", () => {
  it("is started again before processes are listed to find what it left behind, and before anything is recorded", async () => {
    const { noted, children } = noteOrder();
    await using mcp = await openMcp({ discover: false, cache: false, servers: { everything } });
    const statuses = recordStatuses(mcp);
    noted.length = 0;
    children[0]?.kill("SIGKILL");
    await statuses.reached("everything", "ready");
    await vi.waitFor(() => expect(noted).toEqual(expect.arrayContaining(["listed", "recorded"])));
    expect(noted[0]).toBe("started");
  });
});
