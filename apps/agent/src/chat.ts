import type { ServerSnapshot, ToolSource } from "@jackfield/mcp-core";
import { describeAnswer } from "./answer-lines.ts";
import { describeError } from "./error-line.ts";
import type { AgentFramework } from "./frameworks/agent-framework.ts";
import { describeServers, type StartReport } from "./status-line.ts";
import type { Terminal } from "./terminal.ts";
import { type TerminalStyle, withoutControls } from "./terminal-style.ts";

/** What the chat shows of the runtime. */
export interface ChatRuntime extends Pick<ToolSource, "tools"> {
  readonly report: StartReport;
  servers(): readonly ServerSnapshot[];
}

export interface ChatOptions {
  readonly terminal: Terminal;
  readonly framework: AgentFramework;
  readonly runtime: ChatRuntime;
  readonly style: TerminalStyle;
  /** Ends the chat, and the answer in progress with it. */
  readonly signal: AbortSignal;
}

/**
 * Talks until the person leaves: `/quit`, the end of the input, or Ctrl+C at the prompt. While an answer is being made,
 * Ctrl+C stops that answer only.
 */
export async function runChat(options: ChatOptions): Promise<void> {
  const { terminal, signal } = options;
  const leave = () => terminal.close();
  signal.addEventListener("abort", leave, { once: true });
  try {
    for (;;) {
      const line = signal.aborted ? undefined : await terminal.readLine("> ");
      if (line === undefined || line.trim() === "/quit") return;
      await handleLine(line.trim(), options);
    }
  } finally {
    signal.removeEventListener("abort", leave);
    terminal.close();
  }
}

async function handleLine(line: string, options: ChatOptions): Promise<void> {
  const { terminal, runtime, style } = options;
  if (line === "") return;
  if (line === "/tools") {
    for (const { name, origin } of runtime.tools()) {
      terminal.write(`${withoutControls(name)} ${style.dim(origin)}`);
    }
  } else if (line === "/servers") {
    for (const text of describeServers(runtime.servers(), runtime.report, style)) terminal.write(text);
  } else if (line.startsWith("/")) {
    terminal.write("There are /tools, /servers and /quit.");
  } else {
    await answerLine(line, options);
  }
}

async function answerLine(line: string, options: ChatOptions): Promise<void> {
  const { terminal, framework, style } = options;
  const turn = new AbortController();
  const stopListening = terminal.onInterrupt(() => turn.abort());
  const signal = AbortSignal.any([turn.signal, options.signal]);
  try {
    const answer = await framework.ask(line, { signal });
    for (const text of describeAnswer(answer, style)) terminal.write(text);
  } catch (error) {
    terminal.write(signal.aborted ? style.dim("(stopped)") : style.bad(describeError(error)));
  } finally {
    stopListening();
  }
}
