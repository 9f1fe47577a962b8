import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { processesNow } from "../../src/stdio/process-table.ts";
import { atEnd } from "../cleanup.ts";
import { connect } from "../connecting.ts";
import { HOST, telling } from "../host-process.ts";
import { gone, killAtEnd } from "../processes.ts";
import { scriptedServer } from "../scripted-server.ts";

const SCRIPT = "/usr/bin/script";
const CONTROL_C = "\x03";
const CONTROL_Z = "\x1a";
const END_OF_FILE = "\x04";

/** Starts a host as the foreground job of a shell in a terminal of its own; what is written is typed there. */
async function startInTerminal(mode: string) {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const args = [process.execPath, "--no-warnings", HOST, mode, JSON.stringify([scriptedServer(telling)])];
  // With job control, as a user's shell has it: the host leads the foreground group.
  const line = `sh -mc ${quote(`${args.map(quote).join(" ")}; echo "shell $?"; cat`)}`;
  const terminal: ChildProcess = spawn(SCRIPT, ["-qfc", line, "/dev/null"], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  killAtEnd(terminal.pid as number);
  atEnd(async () => {
    if (terminal.exitCode !== null || terminal.signalCode !== null) return;
    terminal.stdin?.write(END_OF_FILE);
    await once(terminal, "exit", { signal: AbortSignal.timeout(2000) }).catch(() => {}); // otherwise it is killed
  });
  const lines = createInterface({ input: terminal.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const lineThat = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) return expect.fail(`the terminal closed before it showed ${pattern}`);
      if (pattern.test(value)) return value.trim();
    }
  };
  const shown = await lineThat(/^pids/);
  const [server, host] = shown.split(" ").slice(1).map(Number) as [number, number];
  killAtEnd(server, host);
  return { server, host, lineThat, type: (keys: string) => terminal.stdin?.write(keys) };
}

const stateOf = (pid: number) => /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1];

describe.runIf(canExecute(SCRIPT) && process.platform === "linux")("in a terminal", () => {
  test.concurrent("[R05] Ctrl+C reaches only the host, whose server still answers during shutdown", async () => {
    const { server, lineThat, type } = await startInTerminal("handle-before");
    type(CONTROL_C);
    expect(await lineThat(/handled/)).toContain("handled {}");
    expect(await lineThat(/shell \d/)).toBe("shell 0");
    await gone(server);
  });

  test.concurrent("[X13] Ctrl+Z stops only the host; its server keeps running", async () => {
    const { server, host, lineThat, type } = await startInTerminal("stay");
    type(CONTROL_Z);
    await lineThat(/shell \d/);
    expect(stateOf(host)).toBe("T");
    expect(stateOf(server)).toMatch(/[SR]/);
    process.kill(host, "SIGTERM");
    process.kill(host, "SIGCONT");
    await gone(host, server);
  });
});

test("[X13] a server runs in a process group and session of its own", async () => {
  const server = scriptedServer();
  await connect(server);
  const [pid] = server.starts() as [number];
  expect(processesNow([pid])).toMatchObject([{ groupId: pid, sessionId: pid }]);
});

function canExecute(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
