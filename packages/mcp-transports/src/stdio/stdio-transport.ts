import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ResolvedStdioServer } from "@jackfield/mcp-core";
import { fileSystem } from "@jackfield/mcp-core/node";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { childProcesses } from "../builtin-modules.ts";
import type { ChannelFacts, ProcessExit } from "../channel.ts";
import { ChannelFault } from "../channel-fault.ts";
import { checkMessage, isAnswer } from "../message-check.ts";
import type { SendFollower, Transport } from "../transport.ts";
import { prepareStart } from "./command-start.ts";
import { createMessageReader, type MessageReader } from "./message-reader.ts";
import { createOutputTail, type OutputTail } from "./output-tail.ts";
import type { ProcessTree } from "./process-tree.ts";
import { createReadReceipt, type ReadReceipt } from "./read-receipt.ts";
import { formatLine } from "./wire-line.ts";
import { createWriteQueue, type WriteQueue } from "./write-queue.ts";

/** More than is shown, so that enough is left after secrets in it were replaced. */
const KEPT_STDERR_BYTES = 16 * 1024;

/** How long to wait for the exit of a dying process, and for its last output, in milliseconds. */
const LAST_WORDS_MS = 250;

/** The pipes of a child process. */
export interface StdioTransport extends Transport {
  facts(): ChannelFacts;
  /** Shortens the graceful steps of ending the process tree. */
  hurry(): void;
}

export interface StdioTransportOptions {
  readonly maxMessageBytes: number;
  /** Takes charge of the process as soon as it was started. */
  takeCharge(child: ChildProcess, input: Writable | null): ProcessTree;
  /** Called with the first line on standard output that is no message. */
  onStrayOutput(line: string): void;
}

/** Prepares a transport; `start` starts the process. */
export function createStdioTransport(
  server: ResolvedStdioServer,
  options: StdioTransportOptions,
): StdioTransport {
  return new ChildTransport(server, options);
}

class ChildTransport implements StdioTransport {
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  onmessage?: Transport["onmessage"];

  readonly #server: ResolvedStdioServer;
  readonly #options: StdioTransportOptions;
  readonly #stderrTail: OutputTail;
  readonly #reader: MessageReader;
  #child: ChildProcess | undefined;
  #input: Writable | null = null;
  #tree: ProcessTree | undefined;
  #queue: WriteQueue | undefined;
  #exit: ProcessExit | undefined;
  #receipt: ReadReceipt | undefined;
  #hasAnswered = false;
  #isPipeClosed = false;
  #isInputBroken = false;
  /** The process that was started has ended well, and another one has its pipes: it was only the server's launcher. */
  #hasLauncherGone = false;
  #fault: ChannelFault | undefined;
  #closing: Promise<void> | undefined;
  #isFinished = false;

  constructor(server: ResolvedStdioServer, options: StdioTransportOptions) {
    this.#server = server;
    this.#options = options;
    this.#reader = createMessageReader({
      maxMessageBytes: options.maxMessageBytes,
      check: checkMessage,
      onMessage: this.#deliver,
      onError: (error) => this.onerror?.(error),
      onFault: (fault) => this.fail(fault),
      onStrayOutput: options.onStrayOutput,
    });
    this.#stderrTail = createOutputTail(KEPT_STDERR_BYTES);
  }

  facts(): ChannelFacts {
    return {
      exit: this.#exit,
      fault: this.#fault,
      stderr: this.#stderrTail.text() || undefined,
      stray: this.#reader.stray(),
      hasReadInput: this.#exit && this.#receipt?.hasRead(this.#isPipeClosed),
    };
  }

  get strayLines(): number {
    return this.#reader.strayLines;
  }

  async start(): Promise<void> {
    if (this.#child || this.#closing) throw new Error("a stdio transport can start only once");
    try {
      const child = this.#spawn();
      this.#child = child;
      this.#listen(child);
      if (child.pid !== undefined) this.#tree = this.#options.takeCharge(child, this.#input);
      await once(child, "spawn"); // rejects with the child's "error"
    } catch (error) {
      throw await this.#explainSpawnError(error);
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#openQueue().push(formatLine(message));
  }

  post(message: JSONRPCMessage, follower: SendFollower): void {
    try {
      this.#openQueue().add(() => formatLine(message), follower);
    } catch (error) {
      follower.onFailed(error);
    }
  }

  noticeUnwanted(): void {
    this.#queue?.noticeUnwanted();
  }

  close(): Promise<void> {
    this.#closing ??= this.#endTree();
    return this.#closing;
  }

  hurry(): void {
    void this.#tree?.end({ hurry: true });
  }

  #openQueue(): WriteQueue {
    if (!this.#queue || this.#closing || this.#exit || this.#isFinished)
      throw new ChannelFault({ kind: "unwritable" });
    return this.#queue;
  }

  #spawn(): ChildProcess {
    const { file, args, isVerbatim, env } = prepareStart(this.#server);
    return childProcesses.spawn(file, args, {
      env: { ...this.#server.env, ...env },
      cwd: this.#server.cwd,
      stdio: ["pipe", "pipe", "pipe"],
      shell: false,
      windowsHide: true,
      windowsVerbatimArguments: isVerbatim,
      // Its own group, so that all it starts can be ended with it, and Ctrl+Z in the terminal does not stop it.
      detached: process.platform !== "win32",
    });
  }

  #listen(child: ChildProcess): void {
    child.on("error", () => {}); // `start` handles it
    child.once("exit", (code, signal) => {
      if (code !== 0 && !this.#closing && !this.#isFinished) this.#exit = { code, signal };
      void this.#finishAfterLastWords(child);
    });
    this.#listenToInput(child);
    child.stdout?.on("error", () => {});
    child.stdout?.on("end", () => {
      if (this.#hasLauncherGone) this.#finishExited(child);
      else void this.#failUnlessExited("output-ended");
    });
    child.stdout?.on("data", (chunk: Buffer) => this.#reader.push(chunk));
    child.stderr?.on("error", () => {});
    child.stderr?.on("data", (chunk: Buffer) => this.#stderrTail.push(chunk));
  }

  readonly #deliver = (message: JSONRPCMessage): void => {
    if (this.#isFinished) return;
    if (!this.#hasAnswered && isAnswer(message)) this.#noticeFirstAnswer();
    this.onmessage?.(message);
  };

  #noticeFirstAnswer(): void {
    this.#hasAnswered = true;
    this.#receipt?.answered();
    this.#tree?.becomeReady();
  }

  #listenToInput(child: ChildProcess): void {
    const input = child.stdin;
    // Node.js would destroy the input as soon as the process has ended, and with it the news of what was not read.
    child.stdin = null;
    const receipt = createReadReceipt(input);
    this.#input = input;
    this.#receipt = receipt;
    if (!input) return;
    this.#queue = createWriteQueue(input, { onWriting: receipt.wrote });
    input.on("error", () => {
      this.#isInputBroken = true;
      void this.#failUnlessExited("unwritable");
    });
  }

  /**
   * The pipes still hold what a process wrote before it died, and tell what it had not read. The wait is limited: a
   * descendant may hold them open for ever. Mostly they were read to their ends before the exit was noticed.
   */
  async #finishAfterLastWords(child: ChildProcess): Promise<void> {
    const isRead = child.stdout?.readableEnded === true && child.stderr?.readableEnded === true;
    this.#isPipeClosed = isRead || (await isClosedInTime(child));
    // Some launchers end once they have started the server, which has the pipes then. One that fails, or is killed, leaves no server.
    this.#hasLauncherGone =
      child.exitCode === 0 && child.stdout?.readableEnded === false && !this.#isInputBroken;
    if (!this.#hasLauncherGone) this.#finishExited(child);
  }

  #finishExited({ exitCode: code, signalCode: signal }: ChildProcess): void {
    if (!this.#closing && !this.#isFinished) this.#exit = { code, signal };
    this.#finish();
  }

  async #failUnlessExited(kind: "unwritable" | "output-ended"): Promise<void> {
    await this.#exitNoticed();
    const isEnding = this.#child?.exitCode != null || this.#child?.signalCode != null;
    if (this.#hasLauncherGone || !(isEnding || this.#closing)) this.fail(new ChannelFault({ kind }));
  }

  /** A broken pipe is often noticed before the exit that broke it. */
  async #exitNoticed(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    await once(child, "exit", { signal: patienceOf(LAST_WORDS_MS) }).catch(() => {});
  }

  fail(fault: ChannelFault): void {
    if (this.#isFinished || this.#closing) return;
    this.#fault ??= fault;
    this.#finish();
  }

  /** Ends the connection: rejects waiting writes, and ends whatever the process left behind. */
  #finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#queue?.end();
    this.#input?.destroy();
    this.#child?.stdout?.destroy();
    this.#child?.stderr?.destroy();
    void this.#tree?.end({ hurry: true });
    this.onclose?.();
  }

  async #endTree(): Promise<void> {
    this.#queue?.flush();
    await this.#tree?.end();
    this.#finish();
  }

  async #explainSpawnError(error: unknown): Promise<ChannelFault> {
    if (error instanceof ChannelFault) return error;
    const { code: errno } = error as NodeJS.ErrnoException;
    const { cwd } = this.#server;
    if (errno === "ENOENT" && cwd !== undefined && !(await isFolder(cwd)))
      return new ChannelFault({ kind: "folder-missing", folder: cwd }, { cause: error });
    return new ChannelFault({ kind: "spawn-failed", errno }, { cause: error });
  }
}

/** Whether all pipes of an ended process are read to their ends and closed in time. */
async function isClosedInTime(child: ChildProcess): Promise<boolean> {
  return once(child, "close", { signal: patienceOf(LAST_WORDS_MS) }).then(
    () => true,
    () => false,
  );
}

async function isFolder(path: string): Promise<boolean> {
  return fileSystem.promises.stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

/** The turns of the event loop that it takes to read an ended stream to its end and close it. */
const TURNS_TO_LISTEN = 3;

/**
 * A signal that fires after the given time, but not before the events that happened meanwhile were handled. After a long turn
 * of the event loop, timers come first, so a busy host would give up on events that are already there.
 */
export function patienceOf(durationMs: number): AbortSignal {
  const controller = new AbortController();
  const end = async () => {
    for (let turn = 0; turn < TURNS_TO_LISTEN; turn += 1) await nextTurn();
    controller.abort();
  };
  setTimeout(() => void end(), durationMs).unref();
  return controller.signal;
}
