import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { CallMiddleware, ToolSource } from "@jackfield/mcp-core";
import { describeAnswer } from "./answer-lines.ts";
import { type AgentArguments, parseArguments, USAGE } from "./arguments.ts";
import { askBeforeCalls } from "./call-approval.ts";
import { type ChatRuntime, runChat } from "./chat.ts";
import { scriptedConversation } from "./conversation.ts";
import { demoFolder } from "./demo-folder.ts";
import { type DemoServerEntry, demoServers } from "./demo-servers.ts";
import { describeError } from "./error-line.ts";
import { startEverythingOverHttp } from "./everything-over-http.ts";
import type { AgentFramework, ModelSettings } from "./frameworks/agent-framework.ts";
import { loadFramework } from "./frameworks/load-framework.ts";
import { readModelSettings } from "./model-settings.ts";
import { startOfflineModel } from "./offline-model/server.ts";
import { playConversation } from "./scripted-run.ts";
import { describeServers, summarizeStart } from "./status-line.ts";
import { openTerminal, type Terminal } from "./terminal.ts";
import { type TerminalStyle, terminalStyle } from "./terminal-style.ts";

/** What the agent needs of the runtime: `Mcp` is one. */
export interface AgentRuntime extends ToolSource, ChatRuntime {
  close(): Promise<void>;
}

/** What the agent asks `openMcp` for. */
interface RuntimeOptions {
  readonly servers: { readonly [name: string]: DemoServerEntry };
  readonly configFiles: readonly string[];
  readonly use: readonly CallMiddleware[];
  readonly signal: AbortSignal;
}

/** The world as the agent sees it. */
export interface AgentContext {
  /** The command line without the program. */
  readonly argv: readonly string[];
  readonly environment: { readonly [name: string]: string | undefined };
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean | undefined };
  readonly stderr: NodeJS.WritableStream;
  readonly signal: AbortSignal;
  openRuntime(options: RuntimeOptions): Promise<AgentRuntime>;
}

interface Run extends AgentContext {
  readonly arguments: AgentArguments;
  readonly style: TerminalStyle;
  write(line: string): void;
  /** Has something closed when the run ends; the last one opened goes first. */
  closeLater(close: () => Promise<void> | void): void;
  /** Ends the run as if the program had been told to. */
  interrupt(): void;
}

/**
 * Runs the agent from the command line to the exit code: 0 if all went well, 1 if something failed or a scripted answer
 * was wrong, 2 if the command line is, 130 if it was interrupted. Whatever it opened is closed when it returns.
 */
export async function runAgent(context: AgentContext): Promise<number> {
  const parsed = parseArguments(context.argv);
  if (parsed.kind === "help") {
    context.stdout.write(USAGE);
    return 0;
  }
  if (parsed.kind === "wrong") return refuse(context, parsed.message);
  const { model } = parsed.arguments;
  const settings = readModelSettings(context.environment, model);
  if (settings === undefined && model !== undefined) {
    return refuse(context, "--model needs OPENAI_API_KEY or OPENAI_BASE_URL.");
  }
  return runWith(context, parsed.arguments, settings);
}

function refuse(context: AgentContext, message: string): number {
  context.stderr.write(`${message}\nTry --help.\n`);
  return 2;
}

async function runWith(
  context: AgentContext,
  parsed: AgentArguments,
  settings: ModelSettings | undefined,
): Promise<number> {
  const opened: (() => Promise<void> | void)[] = [];
  const interruption = new AbortController();
  const signal = AbortSignal.any([context.signal, interruption.signal]);
  const run: Run = {
    ...context,
    signal,
    interrupt: () => interruption.abort(),
    arguments: parsed,
    style: terminalStyle(context.stdout, context.environment),
    write: (line) => void context.stdout.write(`${line}\n`),
    closeLater: (close) => void opened.push(close),
  };
  try {
    return await converse(run, settings ?? (await offlineSettings(run)));
  } catch (error) {
    if (signal.aborted) return 130;
    context.stderr.write(`${describeError(error)}\n`);
    return 1;
  } finally {
    await closeAll(opened.reverse(), context);
  }
}

/** One thing that does not close must not keep the others open. */
async function closeAll(
  opened: readonly (() => Promise<void> | void)[],
  context: AgentContext,
): Promise<void> {
  for (const close of opened) {
    try {
      await close();
    } catch (error) {
      context.stderr.write(`${describeError(error)}\n`);
    }
  }
}

async function offlineSettings(run: Run): Promise<ModelSettings> {
  const offline = await startOfflineModel();
  run.closeLater(offline.close);
  run.write(run.style.dim("No OPENAI_API_KEY: an offline stand-in, not a language model, picks the tools."));
  return { baseUrl: offline.baseUrl, apiKey: "offline", model: "offline-stand-in" };
}

async function converse(run: Run, settings: ModelSettings): Promise<number> {
  const { once, script, framework: name } = run.arguments;
  const isChat = once === undefined && !script && run.stdin.isTTY === true && run.stdout.isTTY === true;
  const terminal = isChat ? openTerminal({ input: run.stdin, output: run.stdout }) : undefined;
  if (terminal !== undefined) run.closeLater(terminal.close);
  // An open terminal takes Ctrl+C for itself; nobody else would hear of it while the servers start.
  const stopListening = terminal?.onInterrupt(run.interrupt);
  const folder = await demoFolder();
  const runtime = await openRuntime(run, folder, terminal);
  stopListening?.();
  run.write(summarizeStart(runtime.servers(), runtime.report));
  for (const line of describeServers(runtime.servers(), runtime.report, run.style)) run.write(line);
  const framework = await loadFramework(name, runtime, settings);
  if (once !== undefined) return sayOnce(run, framework, once);
  if (terminal === undefined) return playScript(run, framework, folder);
  run.write(run.style.dim("/tools, /servers, /quit; Ctrl+C stops an answer, or leaves."));
  await runChat({ terminal, framework, runtime, style: run.style, signal: run.signal });
  return run.signal.aborted ? 130 : 0;
}

async function openRuntime(run: Run, folder: string, terminal: Terminal | undefined): Promise<AgentRuntime> {
  const http = await startEverythingOverHttp({ signal: run.signal });
  run.closeLater(http.close);
  const runtime = await run.openRuntime({
    servers: demoServers({ folder, everythingUrl: http.url }),
    configFiles: run.arguments.configFiles,
    use: terminal === undefined ? [] : [askBeforeCalls(terminal)],
    signal: run.signal,
  });
  run.closeLater(() => runtime.close());
  return runtime;
}

async function sayOnce(run: Run, framework: AgentFramework, text: string): Promise<number> {
  const answer = await framework.ask(text, { signal: run.signal });
  for (const line of describeAnswer(answer, run.style)) run.write(line);
  return 0;
}

async function playScript(run: Run, framework: AgentFramework, folder: string): Promise<number> {
  const { turns, file } = scriptedConversation({ folder });
  run.closeLater(() => rm(join(folder, file), { force: true }));
  const { style, signal, write } = run;
  return (await playConversation({ framework, turns, style, signal, write })) === 0 ? 0 : 1;
}
