import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const LONG_MS = 60_000;
const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

let temporary: string;

beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), "main-test-"));
});

afterEach(() => rm(temporary, { recursive: true }));

async function runProgram(...argv: string[]): Promise<{ code: unknown; stdout: string }> {
  const child = spawn(process.execPath, [MAIN, ...argv], {
    env: { TMPDIR: temporary, JACKFIELD_HOME: temporary, PATH: process.env.PATH },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return { code, stdout };
}

describe("the program with the real runtime", () => {
  it.each(["ai-sdk", "langchain"])(
    "gets every answer right on %s, with an empty and a filled catalog",
    { timeout: LONG_MS },
    async (framework) => {
      for (const _start of ["cold", "warm"]) {
        const { code, stdout } = await runProgram("--framework", framework);
        expect(stdout).toContain("All 9 answers were right.");
        expect(stdout).not.toContain("\u001b"); // a pipe is no terminal
        expect(code).toBe(0);
      }
    },
  );

  it("exits with 0 after --help", async () => {
    expect(await runProgram("--help")).toMatchObject({ code: 0 });
  });
});
