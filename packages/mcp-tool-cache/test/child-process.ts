import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

export interface FixtureOptions {
  /** Shell commands to run first, such as `ulimit`. */
  readonly prefix?: string | undefined;
  /** The id of the user to run it as, if this process may choose. Default: its own user. */
  readonly user?: number | undefined;
}

/** Runs a fixture to its end and returns what it printed. Rejects if it fails. */
export async function runFixture(
  name: string,
  args: readonly string[],
  { prefix, user }: FixtureOptions = {},
): Promise<{ stdout: string; stderr: string }> {
  const command = [process.execPath, fixture(name), ...args];
  const run = promisify(execFile);
  const options = user === undefined ? {} : { uid: user, gid: user };
  if (prefix === undefined) return run(process.execPath, command.slice(1), options);
  return run("/bin/sh", ["-c", `${prefix}; exec "$@"`, "sh", ...command], options);
}

/** Starts a fixture that sends messages to its parent. It is killed when the test ends, if it still runs. */
export function startFixture(name: string, args: readonly string[]): ChildProcess {
  const child = fork(fixture(name), [...args], { execArgv: [] });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  });
  return child;
}

function fixture(name: string): string {
  return fileURLToPath(new URL(`./fixtures/${name}.ts`, import.meta.url));
}
