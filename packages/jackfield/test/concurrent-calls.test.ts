import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { openMcp } from "../src/index.ts";
import { scriptServer, useTemporaryHome } from "./fixture.ts";

useLeakCheck();
const folder = useTemporaryHome();

/** A server with one tool, whose calls `take(id)` takes and `say(id, text)` answers. */
const withTool = (take: string) => `
  const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  const say = (id, text) => answer(id, { content: [{ type: "text", text: String(text) }] });
  ${take}
  require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params = {} } = JSON.parse(line);
    if (method === "initialize")
      answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
    else if (method === "tools/list") answer(id, { tools: [{ name: "count", inputSchema: { type: "object" } }] });
    else if (method === "tools/call") take(id);
    else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "No." } }));
  });`;

/** Waits for so many calls at once, and a little for more, and answers with the most that it has had. */
const counting = (expected: number) =>
  withTool(`
  let [kept, most] = [[], 0];
  const take = (id) => {
    kept.push(id);
    most = Math.max(most, kept.length);
    if (kept.length === ${expected}) setTimeout(() => kept.splice(0).forEach((id) => say(id, most)), 20);
  };`);

/** Ends when its first process is called, and answers later calls with the number of the process. */
const ending = (file: string) =>
  withTool(`
  const fs = require("fs");
  fs.appendFileSync(${JSON.stringify(file)}, ".");
  const starts = fs.readFileSync(${JSON.stringify(file)}).length;
  const take = (id) => (starts === 1 ? process.exit(1) : say(id, starts));`);

const COUNT = { server: "s", tool: "count" };

describe("maxConcurrentCalls", () => {
  it.each([
    [undefined, undefined, 6],
    [undefined, 2, 2],
    [1, undefined, 1],
    [1, 2, 1],
    [0, 2, 6],
  ])("of %s in the entry and %s for all lets a server have %d calls at once", async (own, general, most) => {
    await using mcp = await openMcp({
      discover: false,
      cache: false,
      servers: { s: scriptServer(counting(most), { maxConcurrentCalls: own }) },
      limits: { maxConcurrentCalls: general },
    });
    const results = await Promise.all(Array.from({ length: 6 }, () => mcp.callTool(COUNT)));
    expect(results.at(-1)).toMatchObject({ content: [{ text: String(most) }] });
  });

  it("lets the calls that wait go to the next session if the server ends", async () => {
    await using mcp = await openMcp({
      discover: false,
      cache: false,
      servers: { s: scriptServer(ending(folder.file("starts")), { maxConcurrentCalls: 1 }) },
      log: false,
    });
    const [first, ...others] = await Promise.allSettled([1, 2, 3].map(() => mcp.callTool(COUNT)));
    expect(first).toMatchObject({ status: "rejected", reason: { outcome: "unknown" } });
    for (const other of others) expect(other).toMatchObject({ value: { content: [{ text: "2" }] } });
  });
});
