import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ResolvedStdioServer } from "@jackfield/mcp-core";
import { fileSystem } from "@jackfield/mcp-core/node";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { excerpt, redactorOf } from "../errors/wording.ts";
import { TransportFault } from "../faults.ts";
import { isAnswer } from "../message-check.ts";
import type { ConnectionFacts, ProcessExit, SendFollower, Transport, TransportTools } from "../transport.ts";
import { prepareStart } from "./command.ts";
import { MessageReader } from "./message-reader.ts";
import { childProcesses } from "./process-table.ts";
import { ProcessTree } from "./process-tree.ts";
import { formatLine, WriteQueue } from "./write-queue.ts";

/** More than is shown, so that enough is left after secrets in it were replaced. */
const KEPT_STDERR_BYTES = 16 * 1024;

/** How long to wait for the exit of a dying process, and for its last output, in milliseconds. */
const LAST_WORDS_MS = 250;

/** The pipes of a child process; `start` starts it. */
export class StdioTransport implements Transport {
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  onmessage?: Transport["onmessage"];

  readonly isPipe = true;
  readonly #server: ResolvedStdioServer;
  readonly #options: TransportTools;
  readonly #stderrTail = new OutputTail(KEPT_STDERR_BYTES);
  readonly #reader: MessageReader;
  #child: ChildProcess | undefined;
  #input: Writable | null = null;
  #tree: ProcessTree | undefined;
  #queue: WriteQueue | undefined;
  #exit: ProcessExit | undefined;
  #hasAnswered = false;
  #isInputBroken = false;
  /** The process that was started has ended well, and another one has its pipes: it was only the server's launcher. */
  #hasLauncherGone = false;
  #fault: TransportFault | undefined;
  #closing: Promise<void> | undefined;
  #isFinished = false;

  constructor(server: ResolvedStdioServer, options: TransportTools) {
    this.#server = server;
    this.#options = options;
    this.#reader = new MessageReader({
      maxMessageBytes: options.maxMessageBytes,
      onMessage: this.#deliver,
      onError: (error) => this.onerror?.(error),
      onFault: (fault) => this.fail(fault),
      onStrayOutput: this.#noteStrayOutput,
    });
  }

  facts(): ConnectionFacts {
    return {
      exit: this.#exit,
      fault: this.#fault,
      stderr: this.#stderrTail.text() || undefined,
      stray: this.#reader.stray(),
      hasAnswered: this.#hasAnswered,
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
      if (hasNumber(child)) this.#tree = new ProcessTree(child, { ...this.#options, input: this.#input });
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

  close({ hurry }: { readonly hurry?: boolean | undefined } = {}): Promise<void> {
    this.#closing ??= this.#endTree();
    if (hurry) void this.#tree?.end({ hurry });
    return this.#closing;
  }

  #openQueue(): WriteQueue {
    if (!this.#queue || this.#closing || this.#exit || this.#isFinished)
      throw new TransportFault({ kind: "unwritable" });
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
    const { onErrorLine } = this.#options;
    if (onErrorLine === undefined || child.stderr === null) return;
    const { createInterface } = process.getBuiltinModule("node:readline");
    createInterface({ input: child.stderr }).on("line", onErrorLine);
  }

  readonly #noteStrayOutput = (line: string): void => {
    this.#options.log(
      "warn",
      "The server printed a line that is not a protocol message to its standard output; such lines are skipped.",
      { line: excerpt(line, redactorOf(this.#server), { end: true }) },
    );
  };

  readonly #deliver = (message: JSONRPCMessage): void => {
    if (this.#isFinished) return;
    if (!this.#hasAnswered && isAnswer(message)) this.#noticeFirstAnswer();
    this.onmessage?.(message);
  };

  #noticeFirstAnswer(): void {
    this.#hasAnswered = true;
    this.#tree?.becomeReady();
  }

  #listenToInput(child: ChildProcess): void {
    const input = child.stdin;
    // Node.js would destroy the input as soon as the process has ended; if that was a launcher, the server has it now.
    child.stdin = null;
    this.#input = input;
    if (!input) return;
    this.#queue = new WriteQueue(input);
    input.on("error", () => {
      this.#isInputBroken = true;
      void this.#failUnlessExited("unwritable");
    });
  }

  /**
   * The pipes still hold what a process wrote before it died. The wait is limited: a descendant may hold them open for ever. Mostly
   * they were read to their ends before the exit was noticed.
   */
  async #finishAfterLastWords(child: ChildProcess): Promise<void> {
    const isRead = child.stdout?.readableEnded === true && child.stderr?.readableEnded === true;
    if (!isRead) await once(child, "close", { signal: patienceOf(LAST_WORDS_MS) }).catch(() => {});
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
    if (this.#hasLauncherGone || !(isEnding || this.#closing)) this.fail(new TransportFault({ kind }));
  }

  /** A broken pipe is often noticed before the exit that broke it. */
  async #exitNoticed(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    await once(child, "exit", { signal: patienceOf(LAST_WORDS_MS) }).catch(() => {});
  }

  fail(fault: TransportFault): void {
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

  async #explainSpawnError(error: unknown): Promise<TransportFault> {
    if (error instanceof TransportFault) return error;
    const { code: errno } = error as NodeJS.ErrnoException;
    const { cwd } = this.#server;
    if (errno === "ENOENT" && cwd !== undefined && !(await isFolder(cwd)))
      return new TransportFault({ kind: "folder-missing", folder: cwd }, { cause: error });
    return new TransportFault({ kind: "spawn-failed", errno }, { cause: error });
  }
}

function hasNumber(child: ChildProcess): child is ChildProcess & { readonly pid: number } {
  return child.pid !== undefined;
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

const LINE_BREAK = 0x0a;

/** Keeps the end of a stream of bytes: at most `maxBytes`, and for a moment up to twice as much, so that the work per byte stays bounded. */
export class OutputTail {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #size = 0;
  #isCut = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    if (chunk.length < this.#maxBytes) {
      this.#chunks.push(chunk);
      this.#size += chunk.length;
      if (this.#size > 2 * this.#maxBytes) this.#trim();
      return;
    }
    this.#isCut ||= this.#size > 0 || chunk.length > this.#maxBytes;
    this.#chunks = [Buffer.from(chunk.subarray(-this.#maxBytes))];
    this.#size = this.#maxBytes;
  }

  /** The text kept. If text before it was lost, it begins with a whole line, or in the middle of one that is longer than what is kept. */
  text(): string {
    const kept = this.#trim();
    if (!this.#isCut) return kept.toString("utf8");
    const firstBreak = kept.indexOf(LINE_BREAK);
    // Half a character at the beginning is no text.
    return firstBreak === -1
      ? kept.toString("utf8").replace(/^\uFFFD+/, "")
      : kept.toString("utf8", firstBreak + 1);
  }

  #trim(): Buffer {
    this.#isCut ||= this.#size > this.#maxBytes;
    const kept = Buffer.concat(this.#chunks).subarray(-this.#maxBytes);
    this.#chunks = [kept];
    this.#size = kept.length;
    return kept;
  }
}
