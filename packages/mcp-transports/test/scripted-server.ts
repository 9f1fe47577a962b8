import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ResolvedStdioServer, ServerLimits } from "@jackfield/mcp-core";
import { vi } from "vitest";
import { atEnd } from "./cleanup.ts";

const FIXTURE = fileURLToPath(new URL("fixtures/scripted-server.mjs", import.meta.url));

/** What a script may do with a message. */
export interface ScriptedPeer {
  send(message: object): void;
  answer(result: object): void;
  refuse(code: number, message: string, data?: unknown): void;
  readonly process: NodeJS.Process;
}

export interface ScriptedMessage {
  readonly method?: string;
  readonly id?: number | string;
  // biome-ignore lint/suspicious/noExplicitAny: a script knows the message it waits for
  readonly params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly result?: any;
}

/**
 * Runs in the server's process, for every message and once for `started`, so it sees nothing of the test around it. True
 * if it has dealt with the message itself.
 */
export type Script = (message: ScriptedMessage, peer: ScriptedPeer) => boolean | undefined;

export interface ScriptedOptions {
  readonly name?: string;
  readonly limits?: ServerLimits;
  readonly secrets?: readonly string[];
  readonly env?: Record<string, string>;
  readonly capabilities?: object;
  readonly isModern?: boolean;
  readonly protocolVersion?: string;
}

export interface ScriptedServer extends ResolvedStdioServer {
  /** The process ids of all starts. */
  starts(): number[];
  /** What it received, in order. */
  received(): ScriptedMessage[];
  /** The names of the environment variables it was started with. */
  environment(): string[];
}

/** A definition of a scripted server; it runs once somebody connects to it. */
export function scriptedServer(script?: Script, options: ScriptedOptions = {}): ScriptedServer {
  const folder = mkdtempSync(join(tmpdir(), "jackfield-transports-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const recordTo = join(folder, "record");
  const { name = "scripted", limits, secrets = [], env = {}, ...settings } = options;
  const read = () =>
    existsSync(recordTo)
      ? readFileSync(recordTo, "utf8")
          .split("\n")
          .slice(0, -1) // what stands behind the last line's end is still being written
          .map((line) => JSON.parse(line))
      : [];
  return {
    transport: "stdio",
    name,
    command: process.execPath,
    args: [FIXTURE, script?.toString() ?? "", recordTo, JSON.stringify(settings)],
    env,
    limits,
    secrets,
    starts: () => read().flatMap((entry) => entry.started ?? []),
    received: () => read().filter((entry) => entry.started === undefined),
    environment: () => read().find((entry) => entry.started !== undefined)?.env,
  };
}

/** Resolves when the server has received a message of the method; it records before it acts. */
export function received(server: ScriptedServer, method: string): Promise<ScriptedMessage> {
  const find = () => server.received().find((message) => message.method === method);
  return vi.waitUntil(find, { timeout: 10_000 });
}
