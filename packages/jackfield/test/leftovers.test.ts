import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { endLeftovers, openMcp } from "../src/index.ts";
import { type TemporaryFolder, temporaryFolder } from "./fixture.ts";

useLeakCheck();

const BUILT = fileURLToPath(new URL("../dist/index.js", import.meta.url));

/** Outlives the end of its input. */
const STUBBORN = {
  command: process.execPath,
  args: ["-e", "setInterval(() => {}, 1000)"],
  connectTimeoutMs: 0,
};

describe.runIf(process.platform === "linux")("servers whose host was killed", () => {
  let home: TemporaryFolder;
  beforeEach(() => {
    home = temporaryFolder();
    vi.stubEnv("JACKFIELD_HOME", home.path);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    home[Symbol.dispose]();
  });

  it("are reported by the next start, and ended only by endLeftovers", async () => {
    const pid = await killHostOf(home);
    const mcp = await openMcp({ cache: false });
    try {
      expect(mcp.report.leftovers).toMatchObject([{ server: "stubborn", processes: [{ pid }] }]);
      expect(isRunning(pid)).toBe(true);
      expect(await endLeftovers(mcp.report.leftovers)).toEqual([]);
      expect(isRunning(pid)).toBe(false);
    } finally {
      await mcp.close();
    }
    const next = await openMcp({ cache: false });
    expect(next.report.leftovers).toEqual([]);
    await next.close();
  });
});

/** Starts a host with a stubborn server and kills it without warning. Returns the server's process id. */
async function killHostOf(home: TemporaryFolder): Promise<number> {
  const script = `import { openMcp } from ${JSON.stringify(BUILT)};
await openMcp({ cache: false, servers: ${JSON.stringify({ stubborn: STUBBORN })} });`;
  const host = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
  const pid = await vi.waitFor(() => recordedPid(home), { interval: 50 });
  host.kill("SIGKILL");
  await once(host, "exit");
  return pid;
}

function recordedPid(home: TemporaryFolder): number {
  const directory = home.file("state/processes");
  const [file] = readdirSync(directory).filter((name) => name.endsWith(".json"));
  const record = JSON.parse(readFileSync(`${directory}/${file}`, "utf8"));
  return record.trees[0].processes[0].pid;
}

/** A process that has ended but was not reaped, as happens in containers, no longer runs. */
function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    return false;
  }
}
