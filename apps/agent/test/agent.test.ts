import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { openMcp } from "jackfield";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type AgentContext, runAgent } from "../src/agent.ts";
import { startFailingModel } from "./fixtures/failing-model.ts";
import { createTextSink, type TextSink } from "./fixtures/text-sink.ts";

const LONG_MS = 60_000;

let temporary: string;
let home: string;
let stdout: TextSink;
let stderr: TextSink;

beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), "agent-test-"));
  home = await mkdtemp(join(tmpdir(), "agent-home-"));
  vi.stubEnv("TMPDIR", temporary);
  vi.stubEnv("JACKFIELD_HOME", home);
  stdout = createTextSink();
  stderr = createTextSink();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const folder of [temporary, home]) await rm(folder, { recursive: true });
});

function run(argv: string[], more: Partial<AgentContext> = {}): Promise<number> {
  return runAgent({
    argv,
    environment: {},
    stdin: new PassThrough(),
    stdout,
    stderr,
    signal: new AbortController().signal,
    openRuntime: openMcp,
    ...more,
  });
}

describe("the agent without a terminal", () => {
  it.each(["ai-sdk", "langchain"])(
    "plays its conversation with real servers on %s, and every answer is right",
    { timeout: LONG_MS },
    async (framework) => {
      expect(await run(["--framework", framework])).toBe(0);
      expect(stdout.text).toContain("All 9 answers were right.");
      expect(stdout.text).not.toContain("WRONG");
      for (const call of ["mcp__everything__echo", "mcp__everything-http__get-sum"]) {
        expect(stdout.text).toContain(call);
      }
      expect(stdout.text).toContain("4 of 4 servers connected");
      expect(stderr.text).toBe("");
      const [folder = ""] = await readdir(temporary);
      expect(await readdir(join(temporary, folder))).toEqual(["memory.jsonl"]);
    },
  );

  it("exits with 1 if an answer is wrong", { timeout: LONG_MS }, async () => {
    const code = await run([], {
      openRuntime: async (options) => {
        const runtime = await openMcp(options);
        const forgetful = async () => ({ content: [{ type: "text" as const, text: "I forgot." }] });
        return { ...runtime, callTool: forgetful };
      },
    });
    expect(code).toBe(1);
    expect(stdout.text).toContain("WRONG");
  });

  it("exits with 1 if the runtime cannot be opened", { timeout: LONG_MS }, async () => {
    const code = await run([], { openRuntime: () => Promise.reject(new Error("No runtime today.")) });
    expect(code).toBe(1);
    expect(stderr.text).toBe("No runtime today.\n");
  });

  it("exits with 130 if it is interrupted", { timeout: LONG_MS }, async () => {
    const interruption = new AbortController();
    const running = run([], { signal: interruption.signal });
    await stdout.waitFor("right: ");
    interruption.abort();
    expect(await running).toBe(130);
  });

  it("answers one question with --once", { timeout: LONG_MS }, async () => {
    expect(await run(["--once", "Get the sum of 1 and 2"])).toBe(0);
    expect(stdout.text).toContain("The sum of 1 and 2 is 3.");
  });
});

describe("a model that breaks off its answer", () => {
  it.each(["ai-sdk", "langchain"])(
    "is reported on a line of its own with --once on %s",
    { timeout: LONG_MS },
    async (framework) => {
      await using model = await startFailingModel();
      const environment = { OPENAI_BASE_URL: model.baseUrl("cut") };
      const argv = ["--once", "hi", "--discover", "--framework", framework];
      expect(await run(argv, { environment })).toBe(1);
      expect(stdout.text).toMatch(/^Hel\n$/m);
      expect(stderr.text).toMatch(/^The model at \S+ broke off its answer: terminated\. Try again\.\n$/);
    },
  );
});

describe("the agent in a terminal", () => {
  it("chats, and asks before a call that may change something", { timeout: LONG_MS }, async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const screen = Object.assign(stdout, { isTTY: true });
    const running = run([], { stdin, stdout: screen, environment: { NO_COLOR: "1" } });
    await stdout.waitFor("Ctrl+C stops an answer");
    stdin.write("/mcp\r");
    await stdout.waitFor("everything-http  ready");
    await stdout.waitFor("12 live");
    stdin.write('Echo the message "hi"\r');
    await stdout.waitFor("Echo: hi");
    stdin.write('Write a file with path "a.txt" and content "x"\r');
    await stdout.waitFor('{"path":"a.txt","content":"x"}\nCall mcp__filesystem__write_file?');
    stdin.write("n\r");
    await stdout.waitFor("not approved");
    stdin.write('Write a file with path "b.txt" and content "x"\r');
    await stdout.waitFor("Call mcp__filesystem__write_file");
    stdin.write("y\r");
    await stdout.waitFor("Successfully wrote to b.txt");
    stdin.write("/quit\r");
    expect(await running).toBe(0);
    const [folder = ""] = await readdir(temporary);
    expect(await readdir(join(temporary, folder))).toEqual(["b.txt"]);
  });
});

describe("the agent in a terminal while it starts", () => {
  it("exits with 130 at Ctrl+C", { timeout: LONG_MS }, async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const code = await run([], {
      stdin,
      stdout: Object.assign(stdout, { isTTY: true }),
      openRuntime: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener("abort", () => reject(new Error("given up")), { once: true });
          stdin.write("\u0003");
        }),
    });
    expect(code).toBe(130);
    expect(stderr.text).toBe("");
  });
});

describe("the agent's command line", () => {
  it.each([
    [["--framework", "cobol"], 'There is no framework "cobol"; use ai-sdk or langchain.'],
    [["--nonsense"], "--nonsense"],
    [["--model", "big"], "--model needs OPENAI_API_KEY"],
    [["--once"], "--once"],
    [["--once", " "], "--once needs a text."],
    [["--once", "hi", "--script"], "cannot be used together"],
    [["--discover"], "use --discover in a terminal, or with --once."],
    [["--hosts", "all"], "use it with --discover"],
    [["word"], "word"],
  ])("%j is refused with exit code 2", async (argv, message) => {
    expect(await run(argv)).toBe(2);
    expect(stderr.text).toContain(message);
    expect(stderr.text).toContain("Try --help.");
    expect(stdout.text).toBe("");
  });

  it.each([
    ["notaurl", "OPENAI_BASE_URL must be an http or https URL"],
    ["file:///etc/passwd", "OPENAI_BASE_URL must be an http or https URL"],
    ["http://user:passw0rdsecret@127.0.0.1:1/v1", "OPENAI_BASE_URL must not contain a user or a password"],
  ])("refuses OPENAI_BASE_URL=%s with exit code 2, without showing it", async (url, message) => {
    expect(await run(["--once", "hi"], { environment: { OPENAI_BASE_URL: url } })).toBe(2);
    expect(stderr.text).toContain(message);
    expect(stderr.text + stdout.text).not.toContain(url);
    expect(stderr.text + stdout.text).not.toContain("passw0rdsecret");
  });

  it.each([
    [["--discover", "--hosts", "cursr"], '--hosts: "cursr" is not a known host'],
    [["--discover", "--hosts", "jackfield", "--config", "none.json"], "none.json cannot be read"],
  ])("refuses %j with exit code 2 once the configuration was read", async (argv, message) => {
    expect(await run([...argv, "--once", "hi"])).toBe(2);
    expect(stderr.text).toContain(message);
    expect(stderr.text).toContain("Try --help.");
  });

  it("prints its usage with --help", async () => {
    expect(await run(["--help"])).toBe(0);
    expect(stdout.text).toContain("Usage: agent");
    expect(stdout.text).toContain("With neither OPENAI_API_KEY nor OPENAI_BASE_URL, an offline stand-in");
  });
});
