import {
  approvalIntroduction,
  approvalQuestion,
  approvalText,
  type ServerApprovalRequest,
} from "./approval-request.ts";

/**
 * Decides whether a definition may run. Only `true` accepts it, and only this definition. It may take any time: only the server
 * concerned waits for it.
 */
export type ServerApprover = (
  request: ServerApprovalRequest,
  options: { readonly signal: AbortSignal },
) => Promise<boolean>;

/** How `promptApprover` asks. */
export interface PromptApproverOptions {
  /** Where answers come from. Default: standard input. */
  readonly input?: (NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined }) | undefined;
  /** Where questions go. Default: standard error, so that results on standard output stay clean. */
  readonly output?: NodeJS.WritableStream | undefined;
}

/**
 * Asks on the terminal, one definition after another, and shows each in full. Any answer but `y` or `yes` refuses, and so does the
 * end of the input; Ctrl+C interrupts the program as usual. Without a terminal everything is refused.
 */
export function promptApprover(options: PromptApproverOptions = {}): ServerApprover {
  let turn: Promise<unknown> = Promise.resolve();
  return (request, { signal }) => {
    const asked = turn.then(() => ask(request, options, signal));
    turn = asked.catch(() => undefined);
    return asked;
  };
}

async function ask(
  request: ServerApprovalRequest,
  { input = process.stdin, output = process.stderr }: PromptApproverOptions,
  signal: AbortSignal,
): Promise<boolean> {
  if (input.isTTY !== true || signal.aborted) return false;
  // Loaded here, because hardly any program asks.
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input, output });
  // Ctrl+C is meant for the program, not an answer. While readline holds the terminal in raw mode, the program would get no SIGINT.
  lines.on("SIGINT", () => interrupt(lines));
  try {
    const columns = "columns" in output && typeof output.columns === "number" ? output.columns : undefined;
    const text = approvalText(request, columns);
    output.write(`\n${approvalIntroduction(request)}\n\n${text}\n\n`);
    // `question` never settles once the input has ended, as by Ctrl+D.
    const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
    const answer = await Promise.race([
      lines.question(`${approvalQuestion(request)} [y/N] `, { signal }),
      ended,
    ]);
    return ["y", "yes"].includes(answer.trim().toLowerCase());
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  } finally {
    lines.close();
  }
}

/** Does what Ctrl+C does outside a prompt: the program's own SIGINT listeners run; without any, the program ends. */
function interrupt(lines: { close(): void }): void {
  if (process.listenerCount("SIGINT") > 0) {
    process.emit("SIGINT", "SIGINT");
    return;
  }
  // Restores the terminal.
  lines.close();
  process.kill(process.pid, "SIGINT");
}
