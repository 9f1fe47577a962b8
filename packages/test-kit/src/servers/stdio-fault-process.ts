// The program that `stdioFaultServer` describes: a child process that uses nothing but Node.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createFaultBrain, type FaultBrain } from "./fault-brain.ts";
import { writeFaultRecord } from "./fault-record.ts";
import type { ExitMoment, FaultMoment, FaultScript, GrandchildScript } from "./fault-script.ts";
import { faultyLines } from "./faulty-line.ts";
import { readLines } from "./line-reader.ts";
import type { RpcMessage } from "./rpc-message.ts";

const MOMENTS: { readonly [method: string]: FaultMoment } = {
  "server/discover": "discover",
  initialize: "initialize",
  "notifications/initialized": "initialized",
  "tools/list": "list",
  "tools/call": "call",
};

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

class FaultProcess {
  readonly #script: FaultScript;
  readonly #brain: FaultBrain;
  #written: Promise<void> = Promise.resolve();
  #isDeaf = false;

  constructor(script: FaultScript) {
    this.#script = script;
    const environment = script.echoEnvironment ? { ...process.env } : undefined;
    this.#brain = createFaultBrain(script, { environment });
  }

  async serve(): Promise<void> {
    const { grandchild, recordTo, stderr = [] } = this.#script;
    const pid = grandchild ? await startGrandchild(grandchild === true ? {} : grandchild) : undefined;
    writeFaultRecord(recordTo, { event: "started", pid: process.pid, grandchild: pid });
    for (const line of stderr) process.stderr.write(`${line}\n`);
    this.#listen();
    this.#reach("start");
  }

  #listen(): void {
    const { ignoreSignals, ignoreStdinEnd } = this.#script;
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (ignoreSignals) process.stderr.write(`The server ignores ${signal}.\n`);
        else this.#end(signal);
      });
    }
    readLines(process.stdin, {
      onLine: (line) => {
        if (!this.#isDeaf) this.#receive(JSON.parse(line) as RpcMessage);
      },
      onEnd: () => {
        if (!ignoreStdinEnd) this.#end("stdin");
        process.stderr.write("The server ignores the end of stdin.\n");
        stayAlive();
      },
    });
  }

  #receive(message: RpcMessage): void {
    const { method, params } = message;
    if (method !== undefined) {
      writeFaultRecord(this.#script.recordTo, { event: "received", pid: process.pid, method, params });
      this.#reach(MOMENTS[method]);
    }
    if (this.#isDeaf) return;
    for (const step of this.#brain.receive(message)) {
      if (step.afterMs === 0) this.#say(step.message, method);
      else setTimeout(() => this.#say(step.message, method), step.afterMs);
    }
  }

  /** Applies the script's faults for a moment. */
  #reach(moment: FaultMoment | undefined): void {
    if (moment === undefined) return;
    const { exitOn, exitCode = 1, stopReadingOn, closeStdoutOn } = this.#script;
    if (moment === exitOn) this.#end(moment, exitCode);
    if (moment === stopReadingOn) {
      this.#isDeaf = true;
      process.stdin.pause();
      stayAlive();
    }
    if (moment === closeStdoutOn) {
      process.stdout.on("error", () => {}); // later writes fail
      process.stdout.end();
    }
  }

  #say(message: RpcMessage, because: string | undefined): void {
    const isCall = because === "tools/call" && message.method === undefined;
    if (isCall && this.#script.dieInCall) {
      const line = JSON.stringify(message);
      process.stdout.write(line.slice(0, line.length / 2));
      process.kill(process.pid, "SIGKILL");
    }
    const end = this.#script.crlf ? "\r\n" : "\n";
    const text = faultyLines(message, this.#script, because)
      .map((line) => line + end)
      .join("");
    const { floodStderrBytes, exitOn, exitCode = 1 } = this.#script;
    if (isCall && floodStderrBytes) {
      process.stderr.write(`${"x".repeat(floodStderrBytes)}\n`, () => this.#write(text));
    } else if (exitOn === "handshake" && endsHandshake(message, because)) {
      process.stdout.write(text, () => this.#end("handshake", exitCode));
    } else {
      this.#write(text);
    }
  }

  /** Writes in order, and in chunks if the script says so, each in its own turn of the event loop. */
  #write(text: string): void {
    const { chunkBytes } = this.#script;
    if (chunkBytes === undefined) {
      process.stdout.write(text);
      return;
    }
    const bytes = Buffer.from(text);
    this.#written = this.#written.then(async () => {
      for (let start = 0; start < bytes.length; start += chunkBytes) {
        process.stdout.write(bytes.subarray(start, start + chunkBytes));
        await nextTurn();
      }
    });
  }

  #end(because: ExitMoment | "stdin" | NodeJS.Signals, exitCode = 0): never {
    writeFaultRecord(this.#script.recordTo, { event: "ended", pid: process.pid, because });
    process.exit(exitCode);
  }
}

function endsHandshake({ result }: RpcMessage, because: string | undefined): boolean {
  return result !== undefined && (because === "initialize" || because === "server/discover");
}

function stayAlive(): void {
  setInterval(() => {}, 1_000_000);
}

/** Starts a process that only sleeps, and waits until its signal handlers are in place. */
async function startGrandchild(script: GrandchildScript): Promise<number | undefined> {
  const ignored = script.ignoreSignals ? ["SIGTERM", "SIGINT", "SIGHUP"] : [];
  const program = `
    for (const signal of ${JSON.stringify(ignored)}) {
      process.on(signal, () => console.error(\`The grandchild ignores \${signal}.\`));
    }
    setInterval(() => {}, 1_000_000);
    process.send("ready", () => process.disconnect());`;
  const output = script.holdsPipes ? "inherit" : "ignore";
  const grandchild = spawn(process.execPath, ["-e", program], {
    detached: script.ownGroup ?? false,
    stdio: ["ignore", output, output, "ipc"],
  });
  await once(grandchild, "message");
  grandchild.unref();
  return grandchild.pid;
}

await new FaultProcess(JSON.parse(process.argv[2] ?? "{}") as FaultScript).serve();
