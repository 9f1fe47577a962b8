import { fileURLToPath } from "node:url";
import { TEST_RUN_VARIABLE, testRunId } from "../test-run.ts";
import type { FaultScript } from "./fault-script.ts";

/** The command to spawn, as members of a stdio definition. */
export interface StdioFaultServer {
  readonly command: string;
  readonly args: string[];
  /** Only the variable by which `leakCheck` finds the process. */
  readonly env: Record<string, string>;
}

/** The program is beside this file in the sources, and a separate file in the build. */
const PROGRAM = import.meta.url.endsWith(".ts")
  ? "./stdio-fault-process.ts"
  : "./servers/stdio-fault-process.js";

/** The longest argument that Linux accepts (MAX_ARG_STRLEN). */
const LONGEST_ARGUMENT = 131_071;

/**
 * Describes a stdio server that follows the script. The script is passed as an argument, so that the test controls the
 * environment.
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
