import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const PROGRAM = fileURLToPath(new URL("../fixtures/hostile-answers.mjs", import.meta.url));
/** Longer than either program may run. */
const PATIENCE = { timeout: 120_000 };
const GROWTH = new URL("../fixtures/growth.mjs", import.meta.url).href;

/** In a process of its own, because a regular expression that runs for ever could not be stopped in this one. */
async function run(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, ["--no-warnings", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 100_000,
    killSignal: "SIGKILL",
  });
  const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, "close")]);
  expect([code, signal]).toEqual([0, null]);
  return output;
}

test(
  "[T89] hostile server text takes linear time in every reader and every regular expression",
  PATIENCE,
  async () => {
    const seed = Number(process.env.SEED) || 1 + Math.floor(Math.random() * 2_147_483_645);
    process.stdout.write(`seed of the hostile answers: ${seed}\n`);
    const { readers, found } = JSON.parse(await run(PROGRAM, String(seed)));
    expect(found).toEqual([]);
    expect(readers).toContain("the time to wait");
    expect(readers.filter((name: string) => name.startsWith("/")).length).toBeGreaterThan(20);
  },
);

test("[T89] the measurement detects a regular expression with quadratic time", PATIENCE, async () => {
  const quadratic = `import { growsTooFast, sampleOf } from ${JSON.stringify(GROWTH)};
    const spaces = sampleOf((length) => "x" + " ".repeat(length) + "x", 8192);
    const say = (read) => process.stdout.write(String(growsTooFast(spaces, read)) + " ");
    say((text) => /\\s+$/.test(text));
    say((text) => /^\\s+$/.test(text));
    say((text) => { for (let times = 0; times < 100; times += 1) text.split(""); });`;
  expect(await run("--input-type=module", "--eval", quadratic)).toBe("true false false ");
});
