import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

const FIXTURE = fileURLToPath(new URL("./fixtures/vault-process.ts", import.meta.url));

/** A folder that is removed when the test ends. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "jackfield-vault-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Another process with the same vault. The caller ends it. */
export function startVaultProcess(directory: string, task: string): ChildProcess {
  return fork(FIXTURE, [directory, task], { execArgv: [] });
}

/** The same, ended when the test ends. */
export function startProcessForTest(directory: string, task: string): ChildProcess {
  const child = startVaultProcess(directory, task);
  onTestFinished(() => endProcess(child));
  return child;
}

/** The next message of the process. Rejects if it ends instead. */
export async function nextMessage(child: ChildProcess): Promise<unknown> {
  const heard = new AbortController();
  const message = once(child, "message", { signal: heard.signal });
  const end = once(child, "exit", { signal: heard.signal }).then(([code, signal]) => {
    throw new Error(`The process ended (${code ?? signal}) and said nothing.`);
  });
  message.catch(() => {});
  end.catch(() => {});
  try {
    return (await Promise.race([message, end]))[0];
  } finally {
    heard.abort();
  }
}

/** Kills the process as the system would, and waits until it is gone. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/** Writes one credential in another process, after shell commands that change its rights. */
export async function writeFromShell(prefix: string, directory: string): Promise<void> {
  const command = [process.execPath, FIXTURE, directory, "write"];
  await promisify(execFile)("/bin/sh", ["-c", `${prefix}; exec "$@"`, "sh", ...command]);
}
