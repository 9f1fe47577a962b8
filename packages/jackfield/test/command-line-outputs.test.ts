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

/** A stream to which nothing can be written. As those of a process, it tells of that by an event as well. */
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

describe("a standard output", () => {
  it.each([["--help"], ["cache", "path", "--json"]])(
    "that nobody reads is no failure of %s",
    async (...argv) => {
      expect(await run("EPIPE", ...argv)).toEqual({ exitCode: 0, stderr: "", listeners: 0 });
    },
  );

  it("that has no room is told of", async () => {
    expect(await run("ENOSPC", "--help")).toEqual({
      exitCode: 1,
      stderr: expect.stringMatching(/^error: .*standard output.*ENOSPC.* \(MCP_INTERNAL\)\n$/),
      listeners: 0,
    });
  });

  it.each([
    ["EPIPE", 0],
    ["ENOSPC", 1],
  ])("that fails with %s leaves no server behind", async (code, expected) => {
    using folder = temporaryFolder();
    const { exitCode } = await run(code, "tools", ...SERVER, "--cache", folder.path);
    expect(exitCode).toBe(expected);
  });
});

describe("a standard error", () => {
  it.each([
    ["EPIPE", 0],
    ["ENOSPC", 1],
  ])("that fails with %s does not end the command early", async (code, expected) => {
    using folder = temporaryFolder();
    const stdout = collector();
    // Something to tell of that is no failure.
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
  it("ends well when its reader has closed the pipe", async () => {
    const child = spawn(process.execPath, [PROGRAM, "--help"], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.destroy();
    expect(await ending(child)).toEqual({ exitCode: 0, stderr: "" });
  });

  it.skipIf(!existsSync("/dev/full"))("says that a device is full", async () => {
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
