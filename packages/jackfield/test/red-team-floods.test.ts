import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "./fixture.ts";
import { hostileServer } from "./red-team-runtime.ts";

const HOST = fileURLToPath(new URL("./fixtures/flooded-host.mjs", import.meta.url));
const MEBIBYTE = 1_048_576;
/** The number of log messages, and of progress notifications. */
const FLOOD = 60_000;
/** Twice what the program takes at rest, and less than the flood would take if it were kept. */
const HEAP = ["--max-old-space-size=64", "--max-semi-space-size=2"];

test("[T69] 120,000 notifications before an answer fill no memory, and few reach the progress listener", async () => {
  using folder = temporaryFolder();
  const answer = { content: [{ type: "text", text: "after the flood" }] };
  const { entry } = hostileServer(folder, "hostile", {
    tools: [{ name: "read", inputSchema: { type: "object" } }],
    answers: { read: { result: answer, flood: FLOOD, floodChars: 1_000 } },
  });
  const env = { PATH: process.env.PATH, JACKFIELD_HOME: folder.file("kept") };
  const argv = [...HEAP, HOST, JSON.stringify(entry)];
  const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: folder.path, env });
  const { messages, progress, grownBytes, ...rest } = JSON.parse(stdout);
  expect(rest).toEqual(answer);
  expect(messages).toBe(FLOOD);
  expect(grownBytes).toBeLessThanOrEqual(64 * MEBIBYTE);
  expect(progress).toBeGreaterThan(0);
  expect(progress).toBeLessThan(FLOOD / 50);
}, 120_000);
