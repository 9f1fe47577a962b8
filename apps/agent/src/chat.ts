import { type CommandContext, runCommand } from "./chat-commands.ts";
import { describeError } from "./error-line.ts";
import type { AgentFramework } from "./frameworks/agent-framework.ts";
import type { Terminal } from "./terminal.ts";
import { type TerminalStyle, withoutControls } from "./terminal-style.ts";

export interface ChatOptions {
  readonly terminal: Terminal;
  readonly framework: AgentFramework;
  readonly runtime: CommandContext["runtime"];
  readonly style: TerminalStyle;
  /** Ends the chat, and the answer in progress with it. */
  readonly signal: AbortSignal;
}

/**
 * Runs the chat until the person leaves: `/quit`, the end of the input, or Ctrl+C at the prompt. While something is in progress,
 * Ctrl+C cancels it together with the call in flight; a second Ctrl+C leaves, even if the cancelling has not finished.
 */
export async function runChat(options: ChatOptions): Promise<void> {
  const { terminal, signal } = options;
  const leave = () => terminal.close();
  signal.addEventListener("abort", leave, { once: true });
  try {
    for (;;) {
      const line = signal.aborted ? undefined : await terminal.readLine("> ");
      if (line === undefined || line.trim() === "/quit") return;
      if (line.trim() !== "") await takeTurn(line.trim(), options);
    }
  } finally {
    signal.removeEventListener("abort", leave);
    terminal.close();
  }
}

async function takeTurn(line: string, options: ChatOptions): Promise<void> {
  const { terminal, style } = options;
  const turn = new AbortController();
  const left = Promise.withResolvers<void>();
  const stopListening = terminal.onInterrupt(() => {
    if (turn.signal.aborted) left.resolve(terminal.close());
    else turn.abort();
  });
  const signal = AbortSignal.any([turn.signal, options.signal]);
  try {
    await Promise.race([handleLine(line, options, signal), left.promise]);
  } catch (error) {
    terminal.write(signal.aborted ? style.dim("(stopped)") : style.bad(describeError(error)));
  } finally {
    stopListening();
  }
}

async function handleLine(line: string, options: ChatOptions, signal: AbortSignal): Promise<void> {
  const { terminal, framework, runtime, style } = options;
  if (line.startsWith("/")) return runCommand(line, { runtime, screen: terminal, style, signal });
  await framework.ask(line, { signal, print: (text) => terminal.print(withoutControls(text)) });
  terminal.endLine();
}
