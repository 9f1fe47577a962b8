import { type Mcp, type OpenMcpOptions, promptApprover, type ServerApprover } from "jackfield";
import type { AgentArguments } from "./arguments.ts";
import { askBeforeCalls } from "./call-approval.ts";
import { showCalls } from "./call-display.ts";
import type { DemoServerEntry } from "./demo-servers.ts";
import type { Screen, ScreenStream } from "./screen.ts";
import type { Terminal } from "./terminal.ts";
import type { TerminalStyle } from "./terminal-style.ts";

/** The input for the runtime's options. */
export interface RuntimeChoices {
  readonly arguments: AgentArguments;
  readonly demoServers: { readonly [name: string]: DemoServerEntry };
  /** Where calls are shown. */
  readonly screen: Screen;
  readonly style: TerminalStyle;
  /** The terminal in which a person is asked. Without it, calls are made unasked, and servers that a project defines are not started. */
  readonly terminal?: Terminal | undefined;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: ScreenStream;
  readonly signal: AbortSignal;
}

/** The options with which the agent opens its runtime. */
export function runtimeOptions(choices: RuntimeChoices): OpenMcpOptions {
  const { terminal, screen, style, signal } = choices;
  const { discover, hosts, configFiles } = choices.arguments;
  const shown = showCalls(screen, style);
  return {
    servers: choices.demoServers,
    configFiles,
    discover: discover ? { hosts } : false,
    approval: { servers: terminal && askBeforeServers(terminal, choices) },
    use: terminal === undefined ? [shown] : [askBeforeCalls(terminal), shown],
    log: false, // The summary of the start and the news of the servers say the same on the screen.
    signal,
  };
}

/** Asks a person about each server that a project defines, while the chat goes on. */
function askBeforeServers(terminal: Terminal, { stdin, stdout }: RuntimeChoices): ServerApprover {
  const ask = promptApprover({ input: stdin, output: stdout });
  return (request, options) => terminal.lend(() => ask(request, options));
}

/** Opens the runtime, as `openMcp` does. */
export type OpenRuntime = (options: OpenMcpOptions) => Promise<Mcp>;
