import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { TEST_RUN_VARIABLE, testRunId } from "../test-run.ts";
import type { HttpFaultScript } from "./http-fault-script.ts";

/** A server in its own process, so that it does not distort measurements of its client. */
export interface HttpFaultProcess extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Ends the process; resolves when it is gone. Idempotent. */
  close(): Promise<void>;
}

/** The program is beside this file in the sources, and a separate file in the build. */
const PROGRAM = import.meta.url.endsWith(".ts")
  ? "./http-fault-process.ts"
  : "./servers/http-fault-process.js";

/**
 * Starts a server that follows the script, on 127.0.0.1, in its own process. It also ends when this process does.
 *
 * @throws Error with the process's stderr, if it ends before its server has started
 */
export async function startHttpFaultProcess(script: HttpFaultScript = {}): Promise<HttpFaultProcess> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(PROGRAM, import.meta.url))], {
    env: { ...process.env, [TEST_RUN_VARIABLE]: testRunId() },
  });
  const complaint = text(child.stderr);
  const gone = once(child, "close");
  child.stdin.write(`${JSON.stringify(script)}\n`);
  const [url] = (await Promise.race([once(child.stdout, "data"), gone])) as [unknown];
  if (!Buffer.isBuffer(url)) throw new Error(`The HTTP fault server has not started: ${await complaint}`);
  const close = async () => {
    child.stdin.end();
    await gone;
  };
  return { url: url.toString(), pid: child.pid ?? 0, close, [Symbol.asyncDispose]: close };
}
