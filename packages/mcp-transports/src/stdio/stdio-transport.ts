import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import type { ResolvedStdioServer } from "@jackfield/mcp-core";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { ChannelFacts, ProcessExit, StrayOutput } from "../channel.ts";
import { ChannelFault } from "../channel-fault.ts";
import { createLineSplitter } from "./line-splitter.ts";
import { createOutputTail } from "./output-tail.ts";
import { createProcessTree, type ProcessTree } from "./process-tree.ts";
import type { ProcessTreeRegistry } from "./process-tree-registry.ts";
import { parseMessages } from "./wire-line.ts";

/** More than is shown, so that the end is still full after secrets in it were replaced. */
const KEPT_STDERR_BYTES = 16 * 1024;

/** How long a dying process may take to be seen dead, and its last words to be read, in milliseconds. */
const LAST_WORDS_MS = 250;

/** A child process as the SDK's `Transport`. */
export interface StdioTransport extends Transport {
  facts(): ChannelFacts;
  /** Cuts the graceful steps of an end short. */
  hurry(): void;
}

export interface StdioTransportOptions {
  readonly maxMessageBytes: number;
  readonly registry: ProcessTreeRegistry;
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
  /** Together with `pid` this is how the SDK recognises a transport that is a pipe, and probes it as one. */
  readonly stderr = null;

  readonly #server: ResolvedStdioServer;
  readonly #options: StdioTransportOptions;
  readonly #stderrTail = createOutputTail(KEPT_STDERR_BYTES);
  #child: ChildProcess | undefined;
  #tree: ProcessTree | undefined;
  #exit: ProcessExit | undefined;
  #fault: ChannelFault | undefined;
  #stray: StrayOutput | undefined;
  #closing: Promise<void> | undefined;
  #isFinished = false;

  constructor(server: ResolvedStdioServer, options: StdioTransportOptions) {
    this.#server = server;
    this.#options = options;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  facts(): ChannelFacts {
    return {
      exit: this.#exit,
      fault: this.#fault,
      stderr: this.#stderrTail.text() || undefined,
      stray: this.#stray,
    };
  }

  async start(): Promise<void> {
    if (this.#child || this.#closing) throw new Error("a stdio transport starts once");
    try {
      const child = this.#spawn();
      this.#child = child;
      this.#listen(child);
      if (child.pid !== undefined) this.#tree = createProcessTree(child, this.#options.registry);
      await once(child, "spawn"); // rejects with the child's "error"
    } catch (error) {
      throw await this.#explainSpawnError(error);
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable || this.#closing || this.#isFinished) throw new ChannelFault({ kind: "unwritable" });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    try {
      await promise;
    } catch (error) {
      await this.#exitNoticed();
      throw error;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#endTree();
    return this.#closing;
  }

  hurry(): void {
    void this.#tree?.end({ hurry: true });
  }

  #spawn(): ChildProcess {
    const { command, args, env, cwd } = this.#server;
    return spawn(command, args, {
      env,
      cwd,
      stdio: ["pipe", "pipe", "pipe"],
      shell: false,
      windowsHide: true,
      // Its own group, so that all it starts can be ended with it, and Ctrl+Z in the terminal does not stop it.
      detached: process.platform !== "win32",
    });
  }

  #listen(child: ChildProcess): void {
    const lines = createLineSplitter(this.#options.maxMessageBytes, (line) => this.#read(line));
    child.on("error", () => {}); // `start` hears of it
    child.once("exit", (code, signal) => {
      if (!this.#closing && !this.#isFinished) this.#exit = { code, signal };
      void this.#finishAfterLastWords(child);
    });
    child.stdin?.on("error", () => void this.#failUnlessExited("unwritable"));
    child.stdout?.on("error", () => {});
    child.stdout?.on("end", () => void this.#failUnlessExited("output-ended"));
    child.stdout?.on("data", (chunk: Buffer) => {
      try {
        lines.push(chunk);
      } catch (error) {
        if (error instanceof ChannelFault) this.#fail(error);
      }
    });
    child.stderr?.on("error", () => {});
    child.stderr?.on("data", (chunk: Buffer) => this.#stderrTail.push(chunk));
  }

  #read(line: string): void {
    if (this.#isFinished || line.trim() === "") return;
    const messages = parseMessages(line);
    if (!messages) {
      this.#stray = { lines: (this.#stray?.lines ?? 0) + 1, first: this.#stray?.first ?? line };
      return;
    }
    for (const message of messages) {
      try {
        this.onmessage?.(message);
      } catch (error) {
        this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  /** What a process wrote before it died is still in the pipes; a descendant may hold them open for ever. */
  async #finishAfterLastWords(child: ChildProcess): Promise<void> {
    await once(child, "close", { signal: AbortSignal.timeout(LAST_WORDS_MS) }).catch(() => {});
    this.#finish();
  }

  async #failUnlessExited(kind: "unwritable" | "output-ended"): Promise<void> {
    await this.#exitNoticed();
    if (!this.#exit && !this.#closing) this.#fail(new ChannelFault({ kind }));
  }

  /** A broken pipe is often seen before the death that broke it. */
  async #exitNoticed(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    await once(child, "exit", { signal: AbortSignal.timeout(LAST_WORDS_MS) }).catch(() => {});
  }

  #fail(fault: ChannelFault): void {
    if (this.#isFinished || this.#closing) return;
    this.#fault ??= fault;
    this.#finish();
  }

  /** The conversation is over: writes that wait are rejected, whatever the process left behind is ended. */
  #finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#child?.stdin?.destroy();
    this.#child?.stdout?.destroy();
    this.#child?.stderr?.destroy();
    void this.#tree?.end({ hurry: true });
    this.onclose?.();
  }

  async #endTree(): Promise<void> {
    await this.#tree?.end();
    this.#finish();
  }

  async #explainSpawnError(error: unknown): Promise<ChannelFault> {
    const { code: errno } = error as NodeJS.ErrnoException;
    const { cwd } = this.#server;
    if (errno === "ENOENT" && cwd !== undefined && !(await isFolder(cwd)))
      return new ChannelFault({ kind: "folder-missing", folder: cwd }, { cause: error });
    return new ChannelFault({ kind: "spawn-failed", errno }, { cause: error });
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}
