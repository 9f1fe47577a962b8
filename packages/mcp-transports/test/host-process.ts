import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { killAtEnd } from "./processes.ts";
import { type Script, scriptedServer } from "./scripted-server.ts";

/** Every host compiles the same sources; with this cache, only the first one does. */
const NODE_COMPILE_CACHE = fileURLToPath(new URL("../node_modules/.cache/host", import.meta.url));

export const HOST = fileURLToPath(new URL("fixtures/host.mjs", import.meta.url));

/** Neither the end of its input nor SIGTERM ends it, and it has a child of the same kind. */
export const stubborn: Script = (message, { process, answer }) => {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const state = globalThis as { grandchild?: number | undefined };
  if (message.method === "started") {
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 1000);
    const line = "trap '' TERM; while :; do sleep 600; done";
    state.grandchild = spawn("/bin/sh", ["-c", line], { stdio: ["ignore", "pipe", "ignore"] }).pid;
  }
  if (message.method !== "tools/call") return undefined;
  answer({ content: [], structuredContent: { pids: [process.pid, state.grandchild] } });
  return true;
};

/** As `stubborn`, but the child is in a session of its own. */
export const stubbornOutside: Script = (message, { process, answer }) => {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const state = globalThis as { grandchild?: number | undefined };
  if (message.method === "started") {
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 1000);
    const line = "trap '' TERM; while :; do sleep 600; done";
    const child = spawn("/bin/sh", ["-c", line], { detached: true, stdio: "ignore" });
    child.unref();
    state.grandchild = child.pid;
  }
  if (message.method !== "tools/call") return undefined;
  answer({ content: [], structuredContent: { pids: [process.pid, state.grandchild] } });
  return true;
};

/** Reports its process id and its host's. A signal from the terminal would end or stop it. */
export const telling: Script = (message, { process, answer }) => {
  if (message.method !== "tools/call") return undefined;
  answer({ content: [], structuredContent: { pids: [process.pid, process.ppid] } });
  return true;
};

export interface HostOptions {
  readonly script?: Script | undefined;
  readonly servers?: number | undefined;
}

export interface HostProcess {
  readonly host: ChildProcessByStdio<null, Readable, Readable>;
  /** The process ids that its servers reported, two each. */
  readonly pids: number[];
  nextLine(): Promise<string>;
  /** Exit code and signal. */
  ended(): Promise<[number | null, string | null]>;
}

/** Starts `fixtures/host.mjs`, and waits until its servers are up. */
export async function startHost(mode: string, options: HostOptions = {}): Promise<HostProcess> {
  const { script = stubborn, servers = 1 } = options;
  const definitions = Array.from({ length: servers }, () => scriptedServer(script));
  const args = ["--no-warnings", HOST, mode, JSON.stringify(definitions)];
  const env = { ...process.env, NODE_COMPILE_CACHE };
  const host = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  killAtEnd(host.pid as number);
  const ended = once(host, "close");
  const lines = createInterface({ input: host.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => (await lines.next()).value ?? "";
  const first = await nextLine();
  expect(first).toMatch(/^pids( \d+)*/);
  const pids = first.split(" ").slice(1).filter(Boolean).map(Number);
  expect(pids).toHaveLength(2 * servers);
  killAtEnd(...pids);
  return { host, pids, nextLine, ended: async () => (await ended) as [number | null, string | null] };
}
