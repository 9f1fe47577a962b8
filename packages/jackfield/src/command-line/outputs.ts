import { toMcpError } from "@jackfield/mcp-core";
import { untilInterrupted } from "./interruption.ts";
import type { Output, Terminal } from "./terminal.ts";

/** The terminal of a command, whose streams may fail without ending the process. */
export interface WatchedTerminal {
  readonly terminal: Terminal;
  /** Whether a write failed although somebody was reading. */
  hasFailed(): boolean;
  /** Waits until all output is flushed, or the signal fires, and then stops watching. */
  release(signal: AbortSignal): Promise<void>;
}

/**
 * Handles `error` events of streams: an unhandled one ends the process. Each stream is accessed on first use only, because that opens those
 * of the process.
 */
export function watchTerminal(terminal: Terminal): WatchedTerminal {
  const outputs = new Set<Output>();
  let hasFailed = false;
  const onError = (error: Error) => {
    if (!hasNoReader(error)) hasFailed = true;
  };
  const watch = (output: Output) => {
    if (!outputs.has(output)) output.on("error", onError);
    outputs.add(output);
    return output;
  };
  return {
    terminal: {
      get stdout() {
        return watch(terminal.stdout);
      },
      get stderr() {
        return watch(terminal.stderr);
      },
      get stdin() {
        return terminal.stdin;
      },
    },
    hasFailed: () => hasFailed,
    async release(signal) {
      await Promise.all([...outputs].map((output) => flushed(output, signal)));
      // The `error` event of a failed write comes after its callback.
      if (outputs.size > 0) await new Promise((resolve) => setImmediate(resolve));
      for (const output of outputs) output.removeListener("error", onError);
    },
  };
}

/**
 * Resolves when the text is flushed, so that nothing is lost when the process ends. A reader that stops early, such as `head`, is no
 * failure.
 *
 * @throws McpError `MCP_INTERNAL` if it cannot be written, and the signal's reason
 */
export function writeText({ stdout }: Terminal, text: string, signal: AbortSignal): Promise<void> {
  const written = new Promise<void>((resolve, reject) => {
    stdout.write(text, (error) => {
      if (!error || hasNoReader(error)) return resolve();
      const message = `The result could not be written to standard output (${error.message}); check the free space at its destination.`;
      reject(toMcpError(error, "MCP_INTERNAL", message));
    });
  });
  return untilInterrupted(written, signal);
}

function hasNoReader({ code }: NodeJS.ErrnoException): boolean {
  return code === "EPIPE" || code === "ERR_STREAM_DESTROYED";
}

async function flushed(output: Output, signal: AbortSignal): Promise<void> {
  if (output.writableLength === 0) return;
  const handedOver = new Promise((resolve) => output.write("", resolve));
  await untilInterrupted(handedOver, signal).catch(() => undefined);
}
