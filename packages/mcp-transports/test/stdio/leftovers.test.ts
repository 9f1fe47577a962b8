import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Logger, silentLogger } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { createConnector, endLeftovers, findLeftovers } from "../../src/index.ts";
import type { ProcessRecord } from "../../src/stdio/process-record.ts";
import { currentPlace } from "../../src/stdio/process-record-directory.ts";
import { createProcessTable } from "../../src/stdio/process-table.ts";
import { atEnd } from "../cleanup.ts";
import { failureOf } from "../connecting.ts";
import { startHost, stubborn } from "../host-process.ts";
import { expectGone, gone, isRunning } from "../processes.ts";
import { scriptedServer } from "../scripted-server.ts";

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "jackfield-transports-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const freshDirectory = () => join(temporaryFolder(), "running");
const recordsIn = (directory: string) => (existsSync(directory) ? readdirSync(directory) : []);

function readSingleRecord(directory: string): ProcessRecord {
  const [name] = recordsIn(directory);
  return JSON.parse(readFileSync(join(directory, name as string), "utf8"));
}

async function connectRecording(directory: string, log: Logger = silentLogger) {
  const server = scriptedServer(undefined, { name: "files", env: { TOKEN: "s3cret-value" } });
  const connect = createConnector({ processRecord: { directory } });
  const session = await connect(server, { signal: new AbortController().signal, log });
  atEnd(() => session.close());
  return { server, session };
}

/** A process of this test, and its identity. */
function startSleep() {
  const child: ChildProcess = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  atEnd(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  });
  const pid = child.pid as number;
  return { child, pid, start: createProcessTable().inspect(pid)?.start as string };
}

/** Writes the record of a host that is gone. */
function writeRecord(directory: string, changes: Partial<ProcessRecord>): string {
  const file = join(directory, "999999-0123abcd.json");
  const record = {
    version: 1,
    place: currentPlace(),
    host: { pid: 999_999, start: "1" },
    trees: [],
    ...changes,
  };
  writeFileSync(file, JSON.stringify(record), { mode: 0o600 });
  return file;
}

describe("the process record", () => {
  test("lists running processes, without arguments or variables, in a private file", async () => {
    const directory = freshDirectory();
    const { server, session } = await connectRecording(directory);
    const { host, trees } = readSingleRecord(directory);
    expect(host.pid).toBe(process.pid);
    expect(trees).toEqual([
      {
        server: "files",
        command: process.execPath,
        processes: [{ pid: server.starts()[0], start: expect.any(String) }],
      },
    ]);
    const [name] = recordsIn(directory);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, name as string)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(directory, name as string), "utf8")).not.toContain("s3cret-value");
    await session.close();
    expect(recordsIn(directory)).toEqual([]);
  });

  test("is not written unless it is configured", async () => {
    const directory = temporaryFolder();
    vi.stubEnv("HOME", directory);
    atEnd(() => vi.unstubAllEnvs());
    const connect = createConnector();
    const session = await connect(scriptedServer(), {
      signal: new AbortController().signal,
      log: silentLogger,
    });
    await session.close();
    expect(recordsIn(directory)).toEqual([]);
  });

  test("causes only a warning if it cannot be written", async () => {
    const directory = join(temporaryFolder(), "file");
    writeFileSync(directory, "");
    const log = vi.fn();
    const { session } = await connectRecording(directory, log);
    expect(log).toHaveBeenCalledWith(
      "warn",
      expect.stringContaining("could not be written"),
      expect.anything(),
    );
    expect((await session.list("tools", { signal: new AbortController().signal })).items).toHaveLength(1);
  });

  test("is removed when a signal ends the host", async () => {
    const directory = freshDirectory();
    const { host, pids, ended } = await startHost("stay", { script: stubborn, recordIn: directory });
    expect(recordsIn(directory)).toHaveLength(1);
    host.kill("SIGTERM");
    await ended();
    await gone(...pids);
    expect(recordsIn(directory)).toEqual([]);
  });
});

describe("leftovers", () => {
  test("[R06] a server that outlives its killed host is found, and ended only on request", async () => {
    const directory = freshDirectory();
    const { host, pids, ended } = await startHost("stay", { script: stubborn, recordIn: directory });
    expect(await findLeftovers({ directory })).toEqual([]); // its host still runs
    host.kill("SIGKILL");
    await ended();
    const found = await findLeftovers({ directory });
    expect(found).toMatchObject([{ server: "scripted", command: process.execPath, hostPid: host.pid }]);
    expect(found[0]?.processes.map(({ pid }) => pid)).toEqual(expect.arrayContaining(pids));
    expect(pids.every(isRunning)).toBe(true);
    expect(await endLeftovers(found)).toEqual([]);
    expectGone(pids);
    expect(await findLeftovers({ directory })).toEqual([]);
    expect(recordsIn(directory)).toEqual([]);
  });

  test("[R06] a process that merely reuses a recorded pid is not a leftover", async () => {
    const directory = temporaryFolder();
    const { pid, start } = startSleep();
    const processes = [{ pid, start: `${start}0` }];
    const file = writeRecord(directory, { trees: [{ server: "files", command: "x", processes }] });
    expect(await findLeftovers({ directory })).toEqual([]);
    expect(existsSync(file)).toBe(false);
    expect(await endLeftovers([{ server: "files", command: "x", processes, hostPid: 1 }])).toEqual([]);
    expect(isRunning(pid)).toBe(true);
  });

  test("only the servers of a record that still run are found", async () => {
    const directory = temporaryFolder();
    const { pid, start } = startSleep();
    const left = { server: "files", command: "sleep", processes: [{ pid, start }] };
    const stale = { server: "old", command: "sleep", processes: [{ pid: 999_998, start: "1" }] };
    writeRecord(directory, { trees: [stale, left] });
    expect(await findLeftovers({ directory })).toEqual([{ ...left, hostPid: 999_999 }]);
  });

  test("records of an earlier boot are deleted; those of other machines and namespaces are kept", async () => {
    const { pid, start } = startSleep();
    const trees = [{ server: "files", command: "sleep", processes: [{ pid, start }] }];
    for (const [change, isKept] of [
      [{ boot: "another" }, false],
      [{ machine: "another" }, true],
      [{ pidNamespace: "another" }, true],
    ] as const) {
      const directory = temporaryFolder();
      const file = writeRecord(directory, { trees, place: { ...currentPlace(), ...change } });
      expect(await findLeftovers({ directory })).toEqual([]);
      expect(existsSync(file)).toBe(isKept);
    }
  });

  test("a missing directory, foreign files and broken records yield no leftovers", async () => {
    expect(await findLeftovers({ directory: freshDirectory() })).toEqual([]);
    const directory = temporaryFolder();
    const everybody = [{ server: "x", command: "x", processes: [{ pid: -1, start: "1" }] }];
    writeFileSync(writeRecord(directory, { trees: everybody }).replace("999999", "999998"), "{");
    writeFileSync(join(directory, "999999-0123abce.json.0123abcd.draft"), "{");
    writeFileSync(join(directory, "notes.txt"), "");
    expect(await findLeftovers({ directory })).toEqual([]);
    expect(recordsIn(directory)).toEqual([
      "999998-0123abcd.json",
      "999999-0123abcd.json",
      "999999-0123abce.json.0123abcd.draft",
      "notes.txt",
    ]);
  });

  test("a file in place of the directory is refused", async () => {
    const directory = join(temporaryFolder(), "file");
    writeFileSync(directory, "");
    expect(await failureOf(findLeftovers({ directory }))).toMatchObject({
      code: "MCP_STORAGE_FAILED",
      message: expect.stringContaining(`${directory}: it is not a folder;`),
    });
  });

  test("a directory that other users can write to is refused", async () => {
    const directory = temporaryFolder();
    chmodSync(directory, 0o777);
    const error = await failureOf(findLeftovers({ directory }));
    expect(error).toMatchObject({ code: "MCP_STORAGE_FAILED" });
    expect(error.message).toContain("chmod 700");
  });
});
