import { PassThrough, Writable } from "node:stream";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { runCommandLine } from "../src/command-line.ts";
import { collector, everything, useTemporaryHome } from "./fixture.ts";

useLeakCheck();

const folder = useTemporaryHome();

/** As Ctrl+C does it. */
const interrupt = () => process.emit("SIGINT", "SIGINT");

const places = () => ["--cwd", folder.path, "--cache", folder.file("cache")];
const SERVER = ["--no-discover", "--mcp-server", `everything=${JSON.stringify(everything)}`];

describe("Ctrl+C", () => {
  it.each([
    ["cache", "list"],
    ["config", "list"],
    ["config", "parse", "--host", "jackfield", "mcp.json"],
    ["init"],
    ["types"],
    ["status"],
    ["--version"],
  ])("ends %s %s", async (...argv) => {
    const [stdout, stderr] = [collector(), collector()];
    const running = runCommandLine([...argv, ...places()], { stdout, stderr });
    interrupt();
    expect(await running).toBe(130);
  });

  it("stops reading arguments from an input that stays open", async () => {
    const [stdout, stderr, stdin] = [collector(), collector(), new PassThrough()];
    stdin.write('{"message":');
    const argv = ["call", "echo", "-", ...SERVER, ...places()];
    const running = runCommandLine(argv, {
      stdout,
      stderr,
      // The signal comes when the input is being read.
      get stdin() {
        setImmediate(interrupt);
        return stdin;
      },
    });
    expect(await running).toBe(130);
    expect({ isOpen: !stdin.destroyed, stdout: stdout.text() }).toEqual({ isOpen: false, stdout: "" });
    expect(stderr.text()).toContain("MCP_ABORTED");
  });

  it("exits 130 even if the result is already printed", async () => {
    const stdout = new Writable({
      write(_chunk, _encoding, done) {
        done();
        interrupt();
      },
    });
    const running = runCommandLine(["tools", ...SERVER, ...places()], { stdout, stderr: collector() });
    expect(await running).toBe(130);
  });

  it("ends a command whose output nobody reads", async () => {
    const stdout = new Writable({ write: () => setImmediate(interrupt) });
    expect(await runCommandLine(["--help"], { stdout, stderr: collector() })).toBe(130);
  });

  it("has no listener left after a command ends", async () => {
    const before = process.listenerCount("SIGINT");
    await runCommandLine(["--version"], { stdout: collector(), stderr: collector() });
    expect(process.listenerCount("SIGINT")).toBe(before);
  });
});
