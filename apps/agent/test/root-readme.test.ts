import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { startOfflineModel } from "../src/offline-model/server.ts";
import { JACKFIELD } from "./fixtures/pseudo-terminal.ts";

const LONG_MS = 60_000;
const FILES = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"));
const readme = await readFile(new URL("../../../README.md", import.meta.url), "utf8");
const [aiSdk = "", langchain = ""] = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code);

/** Runs a program in a folder and returns what it printed, on both streams. */
async function run(folder: string, argv: readonly string[], baseUrl: string): Promise<string> {
  const child = spawn(process.execPath, argv, {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      JACKFIELD_HOME: `${folder}/home`,
      OPENAI_API_KEY: "offline",
      OPENAI_BASE_URL: baseUrl,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const streams = [text(child.stdout), text(child.stderr)];
  await once(child, "close");
  return (await Promise.all(streams)).join("");
}

it.each([
  ["the AI SDK", aiSdk, "generateText"],
  ["LangChain.js", langchain, "createAgent"],
])(
  "the README example with %s runs unchanged and has at most 11 lines",
  async (_with, code, names) => {
    expect(code).toContain(names);
    expect(
      code
        .trim()
        .split("\n")
        .filter((line) => line !== "").length,
    ).toBeLessThanOrEqual(11);
    // In this package's folder, where Node finds what the example imports.
    const folder = await mkdtemp(fileURLToPath(new URL("readme-", import.meta.url)));
    await using model = await startOfflineModel();
    try {
      await writeFile(`${folder}/README.md`, "The harbour light is green.");
      const entry = JSON.stringify({ command: process.execPath, args: [FILES, "."] });
      await run(folder, [JACKFIELD, "init", "--mcp-server", `files=${entry}`], model.baseUrl);
      await writeFile(`${folder}/example.ts`, code);
      expect(await run(folder, ["example.ts"], model.baseUrl)).toContain("The harbour light is green.");
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  LONG_MS,
);
