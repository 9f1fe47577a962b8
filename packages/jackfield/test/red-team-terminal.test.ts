import { useLeakCheck } from "@jackfield/test-kit";
import { expect, test } from "vitest";
import { commandLine, useTemporaryHome } from "./fixture.ts";
import { hostileServer } from "./red-team-runtime.ts";

useLeakCheck();
const folder = useTemporaryHome();

const ESCAPE = "\u001b";
const C1 = Array.from({ length: 32 }, (_, index) => String.fromCharCode(0x80 + index));
const C0 = Array.from({ length: 32 }, (_, index) => String.fromCharCode(index)).filter(
  (control) => !"\t\n".includes(control),
);
/** Sequences that move the cursor, colour, set titles, make links, fill the clipboard or reset. */
const SEQUENCES = [
  ...C0,
  ...C1,
  "\u007f",
  ...["[2J", "[1;1H", "[31m", "[?1049h", "[6n", "c", "7", "(0", "#8"].map((rest) => ESCAPE + rest),
  ...["]0;title", "]8;;https://evil.example", "]52;c;ZXZpbA==", "]1337;File=:", "P$q", "_x", "^x", "Xx"].map(
    (rest) => `${ESCAPE}${rest}\u0007`,
  ),
  ...["\u009b2J", "\u009d0;title\u009c"],
];
const NASTY = SEQUENCES.map((sequence, index) => `${index}${sequence}`).join(" ");
const RAW_CONTROL = /[^\t\n -~\u00a0-\uffff]/;

const tool = (name: string) => ({
  name,
  title: NASTY,
  description: `Reads. ${NASTY}`,
  inputSchema: { type: "object" as const, properties: { a: { description: NASTY } } },
});
const SCRIPT = {
  tools: [tool("read"), tool("fail"), tool(`na${NASTY}me`), tool("garble")],
  instructions: NASTY,
  version: NASTY,
  answers: {
    read: { result: { content: [{ type: "text", text: `read ${NASTY}` }] } },
    fail: { error: { code: -32_000, message: `failed ${NASTY}` } },
    garble: { raw: `${NASTY}\n{"jsonrpc":"2.0","id":$ID,"result":{"content":${JSON.stringify(NASTY)}}}` },
  },
};
const SHOUTING = `console.error("shouting", ${JSON.stringify(NASTY)}); process.exit(1)`;

test.each([
  [["status"], "shouting 0"],
  [["tools"], "hostile.read("],
  [["call", "mcp__hostile__read"], "read 0"],
  [["call", "mcp__hostile__fail"], "failed 0"],
  [["call", "mcp__hostile__garble"], "0\ufffd"],
  [["doctor"], "shouting"],
])("[T54] `jackfield %j` prints no terminal sequence of a server", async (words, shown) => {
  expect(SEQUENCES.length).toBeGreaterThanOrEqual(60);
  const servers = {
    hostile: hostileServer(folder, "hostile", SCRIPT).entry,
    ...(words.length === 1 && { shouting: { command: process.execPath, args: ["-e", SHOUTING] } }),
  };
  const named = Object.entries(servers).flatMap(([name, server]) => [
    "--mcp-server",
    `${name}=${JSON.stringify(server)}`,
  ]);
  const shared = ["--no-discover", "--cwd", folder.path, "--cache", folder.file("cache")];
  const { stdout, stderr } = await commandLine(...words, ...named, ...shared);
  const text = `${stdout}${stderr}`;
  expect(text).toContain(shown);
  expect(text).not.toMatch(RAW_CONTROL);
});
