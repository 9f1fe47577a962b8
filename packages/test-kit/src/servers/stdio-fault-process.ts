// The program that `stdioFaultServer` describes: a child process with nothing but Node beneath it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createFaultBrain, type FaultBrain } from "./fault-brain.ts";
import { writeFaultRecord } from "./fault-record.ts";
import type { ExitMoment, FaultScript, GrandchildScript } from "./fault-script.ts";
import { isAnswer, type RpcMessage } from "./rpc-message.ts";

const EXIT_MOMENTS: { readonly [method: string]: ExitMoment } = {
  "server/discover": "discover",
  initialize: "initialize",
  "notifications/initialized": "initialized",
  "tools/list": "list",
  "tools/call": "call",
};

class FaultProcess {
  readonly #script: FaultScript;
  readonly #brain: FaultBrain;
  #written: Promise<void> = Promise.resolve();

  constructor(script: FaultScript) {
    this.#script = script;
    const environment = script.echoEnvironment ? { ...process.env } : undefined;
    this.#brain = createFaultBrain(script, { environment });
  }

  async serve(): Promise<void> {
    const { grandchild, recordTo, stderr = [], ignoreSigterm, ignoreStdinEnd } = this.#script;
    const pid = grandchild ? await startGrandchild(grandchild === true ? {} : grandchild) : undefined;
    writeFaultRecord(recordTo, { event: "started", pid: process.pid, grandchild: pid });
    for (const line of stderr) process.stderr.write(`${line}\n`);
    this.#exitAt("start");
    process.on("SIGTERM", () => {
      if (ignoreSigterm) process.stderr.write("The server ignores SIGTERM.\n");
      else this.#end("SIGTERM");
    });
    const lines = createInterface({ input: process.stdin });
    lines.on("line", (line) => this.#receive(JSON.parse(line) as RpcMessage));
    lines.on("close", () => {
      if (!ignoreStdinEnd) this.#end("stdin");
      process.stderr.write("The server ignores the end of stdin.\n");
      setInterval(() => {}, 1_000_000);
    });
  }

  #receive(message: RpcMessage): void {
    const { method, params } = message;
    if (method !== undefined) {
      writeFaultRecord(this.#script.recordTo, { event: "received", pid: process.pid, method, params });
      this.#exitAt(EXIT_MOMENTS[method]);
    }
    for (const step of this.#brain.receive(message)) {
      if (step.afterMs === 0) this.#say(step.message, method);
      else setTimeout(() => this.#say(step.message, method), step.afterMs);
    }
  }

  #say(message: RpcMessage, because: string | undefined): void {
    const line = JSON.stringify(message);
    if (!isAnswer(message)) {
      this.#write(`${line}\n`);
      return;
    }
    if (this.#script.dieInCall && because === "tools/call") {
      process.stdout.write(line.slice(0, line.length / 2));
      process.kill(process.pid, "SIGKILL");
    }
    const { before = [], after = [] } = this.#script.junk ?? {};
    this.#write([...before, line, ...after, ""].join("\n"));
  }

  /** Writes in order; in pieces, each in a turn of its own, if the script says so. */
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

  #exitAt(moment: ExitMoment | undefined): void {
    const { exitOn, exitCode = 1 } = this.#script;
    if (moment !== undefined && moment === exitOn) this.#end(moment, exitCode);
  }

  #end(because: string, exitCode = 0): never {
    writeFaultRecord(this.#script.recordTo, { event: "ended", pid: process.pid, because });
    process.exit(exitCode);
  }
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
