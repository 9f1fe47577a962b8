import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, writeFileSync } from "node:fs";
import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { runCommandLine } from "../src/command-line.ts";
import { collector, everything, temporaryFolder } from "./fixture.ts";

useLeakCheck();

const PROGRAM = fileURLToPath(new URL("../bin/jackfield.js", import.meta.url));
const SERVER = ["--no-discover", "--mcp-server", `everything=${JSON.stringify(everything)}`];

/** A stream that fails each write. Like those of a process, it also emits an error event. */
function broken(code: string): Writable {
  const failure = Object.assign(new Error(`${code}: nothing can be written`), { code });
  return new Writable({ write: (_chunk, _encoding, done) => done(failure) });
}

/** Runs the command with a broken standard output. */
async function run(code: string, ...argv: string[]) {
  const stdout = broken(code);
  const stderr = collector();
  const exitCode = await runCommandLine(argv, { stdout, stderr });
  return { exitCode, stderr: stderr.text(), listeners: stdout.listenerCount("error") };
}

describe("a broken standard output", () => {
  it.each([["--help"], ["cache", "path", "--json"]])(
    "does not fail %s if the reader is gone",
    async (...argv) => {
      expect(await run("EPIPE", ...argv)).toEqual({ exitCode: 0, stderr: "", listeners: 0 });
    },
  );

  it("is reported if the device is full", async () => {
    expect(await run("ENOSPC", "--help")).toEqual({
      exitCode: 1,
      stderr: expect.stringMatching(/^error: .*standard output.*ENOSPC.* \(MCP_INTERNAL\)\n$/),
      listeners: 0,
    });
  });

  it.each([
    ["EPIPE", 0],
    ["ENOSPC", 1],
  ])("leaves no server running after %s", async (code, expected) => {
    using folder = temporaryFolder();
    const { exitCode } = await run(code, "tools", ...SERVER, "--cache", folder.path);
    expect(exitCode).toBe(expected);
  });
});

describe("a broken standard error", () => {
  it.each([
    ["EPIPE", 0],
    ["ENOSPC", 1],
  ])("does not end the command early (%s)", async (code, expected) => {
    using folder = temporaryFolder();
    const stdout = collector();
    // A warning for standard error that is no failure.
    writeFileSync(folder.file("bad.json"), '{"mcpServers":{"bad":{"command":5}}}');
    const argv = ["tools", "--config", folder.file("bad.json"), "--no-discover", "--cache", folder.path];
    const exitCode = await runCommandLine(argv, { stdout, stderr: broken(code) });
    expect({ exitCode, stdout: stdout.text() }).toEqual({
      exitCode: expected,
      stdout: expect.stringMatching(/\n$/),
    });
  });
});

describe("the program", () => {
  it("exits 0 when its reader has closed the pipe", async () => {
    const child = spawn(process.execPath, [PROGRAM, "--help"], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.destroy();
    expect(await ending(child)).toEqual({ exitCode: 0, stderr: "" });
  });

  it.skipIf(!existsSync("/dev/full"))("reports that the output device is full", async () => {
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [PROGRAM, "--help"], { stdio: ["ignore", full, "pipe"] });
    closeSync(full);
    expect(await ending(child)).toEqual({
      exitCode: 1,
      stderr: expect.stringMatching(/^error: .*ENOSPC.*\n$/),
    });
  });
});

async function ending(child: ReturnType<typeof spawn>) {
  const said: string[] = [];
  child.stderr?.on("data", (chunk) => said.push(String(chunk)));
  const exitCode = await new Promise((resolve) => child.once("close", resolve));
  return { exitCode, stderr: said.join("") };
}
