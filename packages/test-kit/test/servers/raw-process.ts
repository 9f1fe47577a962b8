import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import type { FaultScript } from "../../src/servers/fault-script.ts";
import { readLines } from "../../src/servers/line-reader.ts";
import type { RpcMessage } from "../../src/servers/rpc-message.ts";
import { stdioFaultServer } from "../../src/servers/stdio-fault-server.ts";

/** A spawned fault server, spoken to without any client library. */
export interface RawProcess {
  readonly child: ChildProcess;
  /** Every line of stdout so far. */
  readonly lines: readonly string[];
  send(message: Omit<RpcMessage, "jsonrpc">): void;
  /** The first line of stdout, past or future, for which the test holds. */
  line(test: (line: string) => boolean): Promise<string>;
  /** The same of stderr, for an exact line. */
  complaint(text: string): Promise<string>;
  /** Sends a request and waits for its answer. */
  request(method: string, params?: RpcMessage["params"]): Promise<RpcMessage>;
  /** Exit code and signal, when all of its output has been read. */
  readonly ended: Promise<unknown[]>;
}

/** Spawns a fault server; `spawned` is for those of the build. */
export function spawnRaw(script: FaultScript, spawned = stdioFaultServer(script)): RawProcess {
  const { command, args, env } = spawned;
  const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "pipe"] });
  const ended = once(child, "close");
  const output = followLines(child.stdout, ended);
  const complaints = followLines(child.stderr, ended);
  let nextId = 1;

  const raw: RawProcess = {
    child,
    lines: output.lines,
    ended,
    send: (message) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    line: output.line,
    complaint: (text) => complaints.line((line) => line === text),
    async request(method, params) {
      const id = nextId++;
      raw.send({ id, method, params });
      return JSON.parse(await raw.line((line) => line.startsWith("{") && answers(line, id))) as RpcMessage;
    },
  };
  return raw;
}

function followLines(stream: Readable, ended: Promise<unknown>) {
  const lines: string[] = [];
  const waiting = new Set<(line: string) => void>();
  const onLine = (line: string) => {
    lines.push(line);
    for (const check of [...waiting]) check(line);
  };
  readLines(stream, { onLine, onEnd: (rest) => rest && onLine(rest) });
  const line = (test: (line: string) => boolean): Promise<string> => {
    const past = lines.find(test);
    if (past !== undefined) return Promise.resolve(past);
    return new Promise((resolve, reject) => {
      const check = (candidate: string) => {
        if (!test(candidate)) return;
        waiting.delete(check);
        resolve(candidate);
      };
      waiting.add(check);
      ended.then(() => reject(new Error("The server ended before that line.")), reject);
    });
  };
  return { lines, line };
}

function answers(line: string, id: number): boolean {
  const message = JSON.parse(line) as RpcMessage;
  return message.id === id && message.method === undefined;
}
