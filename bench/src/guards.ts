import {
  callApproval,
  cleanResults,
  limitResults,
  markResults,
  openToolPins,
  scanResults,
} from "@jackfield/mcp-guard";
import { median } from "./statistics.ts";
import { cpuMilliseconds } from "./stopwatch.ts";
import { formatNumber, formatTable } from "./table.ts";

/** What a guard may add to a result of 1 kB, in microseconds. */
const LIMIT_US = 20;
const KILOBYTE = 1_024;
const MEBIBYTE = 1_048_576;
const ROUNDS = 5;
const SMALL_CALLS = 5_000;

type Guard = ReturnType<typeof limitResults>;

/** All that a guard has to read of a text is in it: words, paths, an address, letters that are not ASCII. */
const LINE =
  "2026-11-21 the system read 3 files from /home/user/project and sent them to https://example.com/a?b=c.\n";
const TEXTS = {
  English: LINE,
  European: `${LINE}Größe: 12 kB, naïve, “quoted”, année, Übersicht, 名前, ✓.\n`,
  "joined emoji": `${LINE}👩🏽‍💻 and 👨‍👩‍👧 in each line.\n`,
};

const tool = {
  name: "mcp__files__read",
  server: "files",
  originalName: "read",
  description: "Reads a file.",
  definition: { name: "read", inputSchema: { type: "object" as const } },
  origin: "live" as const,
  requiresApproval: false,
};

process.stdout.write(`${await measureGuards()}\n`);

/** The CPU time each guard adds to a call, and how that grows from 1 MiB to 16: by 16 where it is linear. */
async function measureGuards(): Promise<string> {
  const rows: string[][] = [];
  for (const [name, guard] of Object.entries(await guards())) {
    for (const [kind, line] of Object.entries(TEXTS))
      rows.push(await measureGuard(guard, [name, kind], line));
  }
  return formatTable({
    header: ["guard", "text", "1 kB us", "budget", "kept", "1 MiB ms", "16 MiB ms", "growth"],
    rows,
    labels: 2,
  });
}

async function guards(): Promise<Readonly<Record<string, Guard>>> {
  const found = () => {};
  return {
    limitResults: limitResults(),
    markResults: markResults(),
    cleanResults: cleanResults(),
    scanResults: scanResults({ found }),
    "scanResults, all": scanResults({ found, maxScannedChars: 0 }),
    callApproval: callApproval({ ask: async () => "run" }).middleware,
    openToolPins: (await openToolPins()).middleware,
  };
}

async function measureGuard(guard: Guard, labels: string[], line: string): Promise<string[]> {
  const smallUs = (await addedMs(guard, textOf(line, KILOBYTE), SMALL_CALLS)) * 1_000;
  const mebibyteMs = await addedMs(guard, textOf(line, MEBIBYTE), 16);
  const largeMs = await addedMs(guard, textOf(line, 16 * MEBIBYTE), 1);
  const isKept = smallUs <= LIMIT_US ? "yes" : "no";
  const growth = mebibyteMs < 0.1 ? "-" : formatNumber(largeMs / mebibyteMs);
  const figures = [smallUs, LIMIT_US].map(formatNumber);
  return [...labels, ...figures, isKept, formatNumber(mebibyteMs), formatNumber(largeMs), growth];
}

/** The median of some rounds, after one that warms up, less what the same call costs without a guard. */
async function addedMs(guard: Guard, text: string, calls: number): Promise<number> {
  const bare: Guard = (_call, next) => next();
  const added: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const ms = (await cpuMs(guard, text, calls)) - (await cpuMs(bare, text, calls));
    if (round > 0) added.push(Math.max(0, ms));
  }
  return median(added);
}

async function cpuMs(guard: Guard, text: string, calls: number): Promise<number> {
  const call = { tool, args: {}, options: { audience: "model" as const } };
  const before = cpuMilliseconds();
  for (let made = 0; made < calls; made += 1) {
    await guard(call, async () => ({ content: [{ type: "text", text }] }));
  }
  return (cpuMilliseconds() - before) / calls;
}

/** So many bytes of the line, over and over, in one piece. */
function textOf(line: string, length: number): string {
  return Buffer.from(line.repeat(Math.ceil(length / line.length))).toString("utf8", 0, length);
}
