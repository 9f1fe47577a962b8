import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Mcp } from "jackfield";
import { type OpenRuntime, runtimeOptions } from "./agent-runtime.ts";
import { type AgentArguments, parseArguments, USAGE } from "./arguments.ts";
import { runChat } from "./chat.ts";
import { scriptedConversation } from "./conversation.ts";
import { demoFolder } from "./demo-folder.ts";
import { type DemoServerEntry, demoServers } from "./demo-servers.ts";
import { describeError } from "./error-line.ts";
import { startEverythingOverHttp } from "./everything-over-http.ts";
import type { AgentFramework, ModelSettings } from "./frameworks/agent-framework.ts";
import { loadFramework } from "./frameworks/load-framework.ts";
import { baseUrlFault, readModelSettings } from "./model-settings.ts";
import { startOfflineModel } from "./offline-model/server.ts";
import { openScreen, type Screen, type ScreenStream } from "./screen.ts";
import { playConversation } from "./scripted-run.ts";
import { watchServers } from "./server-news.ts";
import { describeServers } from "./server-table.ts";
import { summarizeStart } from "./start-summary.ts";
import { openTerminal } from "./terminal.ts";
import { type TerminalStyle, terminalStyle, withoutControls } from "./terminal-style.ts";

/** What the agent uses of its process. */
export interface AgentContext {
  /** The command line without the program. */
  readonly argv: readonly string[];
  readonly environment: { readonly [name: string]: string | undefined };
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined };
  readonly stdout: ScreenStream;
  readonly stderr: NodeJS.WritableStream;
  readonly signal: AbortSignal;
  readonly openRuntime: OpenRuntime;
}

interface Run extends AgentContext {
  readonly arguments: AgentArguments;
  readonly style: TerminalStyle;
  /** Whether a person uses the agent in a terminal. */
  readonly isChat: boolean;
  /** Registers something to close when the run ends; the last one opened is closed first. */
  closeLater(close: () => Promise<void> | void): void;
  /** Ends the run as a signal to the program would. */
  interrupt(): void;
}

/**
 * Runs the agent from the command line to the exit code: 0 if all went well, 1 if something failed or a scripted answer was wrong,
 * 2 if the command line or `OPENAI_BASE_URL` is wrong, 130 if it was interrupted. Whatever it opened is closed when it returns.
 */
export async function runAgent(context: AgentContext): Promise<number> {
  const parsed = parseArguments(context.argv);
  if (parsed.kind === "help") {
    context.stdout.write(USAGE);
    return 0;
  }
  if (parsed.kind === "wrong") return refuse(context, parsed.message);
  const { model, discover, once, script } = parsed.arguments;
  const fault = baseUrlFault(context.environment);
  if (fault !== undefined) return refuse(context, fault);
  const settings = readModelSettings(context.environment, model);
  if (settings === undefined && model !== undefined) {
    return refuse(context, "--model needs OPENAI_API_KEY or OPENAI_BASE_URL.");
  }
  const isChat =
    once === undefined && !script && context.stdin.isTTY === true && context.stdout.isTTY === true;
  if (discover && !isChat && once === undefined) {
    return refuse(
      context,
      "The script needs the demo's servers: use --discover in a terminal, or with --once.",
    );
  }
  return runWith({ ...context, isChat }, parsed.arguments, settings);
}

/** The fault of a host or file that the command line names and that could not be read. */
function unusableSource({ problems }: Mcp["report"], { configFiles }: AgentArguments): string | undefined {
  const files = configFiles.map((file) => resolve(file));
  for (const { error, definedIn } of problems) {
    if (definedIn.pointer === "/hosts") return error.message.replace('option "/hosts"', "--hosts");
    const isNamed = definedIn.file !== undefined && files.includes(definedIn.file);
    if (isNamed && error.code === "MCP_CONFIG_NOT_FOUND") return error.message;
  }
  return undefined;
}

function refuse(context: AgentContext, message: string): number {
  context.stderr.write(`${message}\nTry --help.\n`);
  return 2;
}

async function runWith(
  context: AgentContext & Pick<Run, "isChat">,
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
    closeLater: (close) => void opened.push(close),
  };
  try {
    return await converse(run, settings);
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

async function converse(run: Run, settings: ModelSettings | undefined): Promise<number> {
  const { style, signal, stdin: input, stdout: output } = run;
  const terminal = run.isChat ? openTerminal({ input, output }) : undefined;
  if (terminal !== undefined) run.closeLater(() => terminal.close());
  const screen = terminal ?? openScreen(output);
  // An open terminal captures Ctrl+C, which must stop the run while the servers start.
  const stopListening = terminal?.onInterrupt(run.interrupt);
  const model = settings ?? (await offlineSettings(run, screen));
  const folder = await demoFolder();
  const demoServers = run.arguments.discover ? {} : await startDemoServers(run, folder);
  const runtime = await run.openRuntime(runtimeOptions({ ...run, demoServers, terminal, screen }));
  run.closeLater(() => runtime.close());
  stopListening?.();
  const unusable = unusableSource(runtime.report, run.arguments);
  if (unusable !== undefined) return refuse(run, unusable);
  // Before anything else is awaited, so that no news is missed.
  if (terminal !== undefined) run.closeLater(watchServers(runtime, terminal, style));
  showStart(runtime, screen, style);
  const framework = await loadFramework(run.arguments.framework, runtime, {
    ...model,
    search: run.arguments.search,
  });
  if (run.arguments.once !== undefined) return sayOnce(run, framework, screen, run.arguments.once);
  if (terminal === undefined) return playScript(run, framework, screen, folder);
  screen.write(style.dim("/help lists the commands; Ctrl+C stops an answer, or quits."));
  await runChat({ terminal, framework, runtime, style, signal });
  return signal.aborted ? 130 : 0;
}

async function offlineSettings(run: Run, screen: Screen): Promise<ModelSettings> {
  const offline = await startOfflineModel();
  run.closeLater(offline.close);
  screen.write(run.style.dim("An offline stand-in, not a language model, picks the tools:"));
  screen.write(run.style.dim("neither OPENAI_API_KEY nor OPENAI_BASE_URL is set."));
  return { baseUrl: offline.baseUrl, apiKey: "offline", model: "offline-stand-in" };
}

async function startDemoServers(
  run: Run,
  folder: string,
): Promise<{ readonly [name: string]: DemoServerEntry }> {
  const http = await startEverythingOverHttp({ signal: run.signal });
  run.closeLater(http.close);
  return demoServers({ folder, everythingUrl: http.url });
}

function showStart(runtime: Mcp, screen: Screen, style: TerminalStyle): void {
  const table = describeServers(runtime.servers(), { now: Date.now(), columns: screen.columns, style });
  for (const line of [...summarizeStart(runtime), ...table]) screen.write(line);
}

async function sayOnce(run: Run, framework: AgentFramework, screen: Screen, text: string): Promise<number> {
  try {
    await framework.ask(text, {
      signal: run.signal,
      print: (piece) => screen.print(withoutControls(piece)),
    });
  } finally {
    // An error is printed on a line of its own.
    screen.endLine();
  }
  return 0;
}

async function playScript(
  run: Run,
  framework: AgentFramework,
  screen: Screen,
  folder: string,
): Promise<number> {
  const { turns, file } = scriptedConversation({ folder });
  run.closeLater(() => rm(join(folder, file), { force: true }));
  const { style, signal } = run;
  return (await playConversation({ framework, turns, style, signal, screen })) === 0 ? 0 : 1;
}
