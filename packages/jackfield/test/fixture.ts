import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import type { InlineServer } from "@jackfield/mcp-config";
import { afterEach, beforeEach, vi } from "vitest";
import { runCommandLine } from "../src/command-line.ts";
import { checkDocument } from "./published-schemas.ts";

export const EVERYTHING = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-everything/dist/index.js",
);

/** The reference server, as a child process. */
export const everything: InlineServer = { command: process.execPath, args: [EVERYTHING, "stdio"] };

/** A child process that runs a piece of JavaScript instead of speaking the protocol. */
export function scriptServer(script: string, options: Partial<InlineServer> = {}): InlineServer {
  return { command: process.execPath, args: ["-e", script], ...options } as InlineServer;
}

/** A folder that is gone when the test is. */
export interface TemporaryFolder extends Disposable {
  readonly path: string;
  file(name: string): string;
}

export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), "jackfield-"));
  return {
    path,
    file: (name) => join(path, name),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** A folder that each test has to itself, in which Jackfield keeps what it keeps between runs as well. */
export function useTemporaryHome(): TemporaryFolder {
  let folder: TemporaryFolder | undefined;
  const current = () => {
    if (folder === undefined) throw new Error("There is a folder during tests only.");
    return folder;
  };
  const remove = () => folder?.[Symbol.dispose]();
  beforeEach(() => {
    folder = temporaryFolder();
    vi.stubEnv("JACKFIELD_HOME", folder.file("own"));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    remove();
  });
  return {
    get path() {
      return current().path;
    },
    file: (name) => current().file(name),
    [Symbol.dispose]: remove,
  };
}

/** Runs the command line as a program would, and collects what it writes. A document it prints must be what its schema says. */
export async function commandLine(
  ...argv: string[]
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const stdout = collector();
  const stderr = collector();
  const exitCode = await runCommandLine(argv, { stdout, stderr });
  await checkDocument(argv, stdout.text());
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

/** A stream that keeps what is written to it. */
export function collector(): Writable & { text(): string } {
  const chunks: string[] = [];
  const write = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return Object.assign(write, { text: () => chunks.join("") });
}
