// A server with one tool, which says which process it is. Each start is one line of a file.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

appendFileSync(process.env.STARTS ?? `${import.meta.dirname}/starts.txt`, `${process.pid}\n`);
const tools = [{ name: "pid", inputSchema: { type: "object" } }];
const answers = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "echo", version: "1" },
  },
  "tools/list": { tools },
  "tools/call": { content: [{ type: "text", text: String(process.pid) }] },
  ping: {},
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const result = answers[method];
  if (id === undefined) return;
  const answer = result === undefined ? { error: { code: -32601, message: "no such method" } } : { result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
});
