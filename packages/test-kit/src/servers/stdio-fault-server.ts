import { fileURLToPath } from "node:url";
import { TEST_RUN_VARIABLE, testRunId } from "../test-run.ts";
import type { FaultScript } from "./fault-script.ts";

/** What to spawn; it fits into a stdio definition. */
export interface StdioFaultServer {
  readonly command: string;
  readonly args: string[];
  /** Only the mark by which `leakCheck` finds the process. */
  readonly env: Record<string, string>;
}

/** The program stands beside this file in the sources, and in its own file in the build. */
const PROGRAM = import.meta.url.endsWith(".ts")
  ? "./stdio-fault-process.ts"
  : "./servers/stdio-fault-process.js";

/** Linux takes no longer argument (MAX_ARG_STRLEN). */
const LONGEST_ARGUMENT = 131_071;

/**
 * A stdio server that follows the script. The script goes along as an argument, so the environment stays what the test
 * makes it.
 */
export function stdioFaultServer(script: FaultScript = {}): StdioFaultServer {
  const argument = JSON.stringify(script);
  if (Buffer.byteLength(argument) > LONGEST_ARGUMENT) {
    throw new Error(
      `A fault script may have ${LONGEST_ARGUMENT} bytes as JSON, this one has more; give it fewer tools.`,
    );
  }
  return {
    command: process.execPath,
    args: [fileURLToPath(new URL(PROGRAM, import.meta.url)), argument],
    env: { [TEST_RUN_VARIABLE]: testRunId() },
  };
}
