// Opens users of one runtime, each with a session to one remote server of 30 tools, and prints what each of them costs.
//   node --expose-gc test/stress/users.mjs [users, default 1, 100 and 2,000]
// The server is a process of its own. Measured after garbage collection: while all have a session, once the idle ones have released theirs,
// and after all have left.
import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const IDLE_TIMEOUT_MS = 240_000;
const AT_ONCE = 50;

if (process.send) serve();
else {
  const counts = process.argv.slice(2).map(Number);
  print("users | MiB before | KiB each, session | KiB each, idle | KiB each, left | sockets | idle | left");
  for (const count of counts.length > 0 ? counts : [1, 100, 2_000]) print((await measure(count)).join(" | "));
  process.exit();
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

/** Answers with JSON, counts its connections when asked, and streams events to whoever listens. */
function serve() {
  const tools = Array.from({ length: 30 }, (_, at) => ({
    name: `tool-${at}`,
    description: "Words that say what it does. ".repeat(8),
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
  }));
  const results = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "many", version: "1" },
    },
    "tools/list": { tools },
    "tools/call": { content: [{ type: "text", text: "done" }] },
    ping: {},
  };
  // A connection that is closed for its idleness tells nothing of what users cost.
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    if (request.method === "DELETE") return response.writeHead(200).end();
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      return response.flushHeaders();
    }
    const { id, method } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    if (id === undefined) return response.writeHead(202).end();
    const result = results[method];
    const answer = result ? { result } : { error: { code: -32_601, message: "Method not found" } };
    const session = method === "initialize" ? { "mcp-session-id": randomUUID() } : {};
    response.writeHead(200, { "content-type": "application/json", ...session });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  });
  process.on("message", () => server.getConnections((_, open) => process.send(open)));
  process.on("disconnect", () => process.exit());
  server.listen(0, "127.0.0.1", () => process.send(`http://127.0.0.1:${server.address().port}/mcp`));
}

async function measure(count) {
  const { openMcp } = await import("../../dist/index.js");
  const server = fork(fileURLToPath(import.meta.url));
  const [url] = await once(server, "message");
  const connections = async () => {
    server.send("count");
    return (await once(server, "message"))[0];
  };
  const mcp = await openMcp({
    discover: false,
    cache: false,
    log: false,
    servers: { mail: { url } },
    limits: { idleTimeoutMs: IDLE_TIMEOUT_MS },
    resolve: async ({ name }, { principal = "nobody" }) => ({
      ...{
        name,
        transport: "http",
        url,
        headers: { authorization: `Bearer token-of-${principal}` },
        secrets: [],
      },
    }),
  });
  const call = (user) => user.callTool({ server: "mail", tool: "tool-1" }, { text: "one" });
  const first = await mcp.forPrincipal("first"); // It has the code loaded.
  await call(first);
  await first.close();
  const before = await heapKiB();
  const users = [];
  for (let at = 0; at < count; at += AT_ONCE) {
    const names = Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, next) => `user-${at + next}`);
    const opened = await Promise.all(names.map((name) => mcp.forPrincipal(name)));
    await Promise.all(opened.map(call));
    users.push(...opened);
  }
  const busy = { KiB: await heapKiB(), sockets: await connections() };
  while ((await connections()) > 0) await wait(1_000);
  const idle = { KiB: await heapKiB(), sockets: await connections() };
  await Promise.all(users.map((user) => user.close()));
  users.length = 0;
  await wait(5_000);
  const left = { KiB: await heapKiB(), sockets: await connections() };
  await mcp.close();
  server.disconnect();
  const each = ({ KiB }) => ((KiB - before) / count).toFixed(1);
  return [
    count,
    (before / 1_024).toFixed(1),
    ...[busy, idle, left].map(each),
    busy.sockets,
    idle.sockets,
    left.sockets,
  ];
}

async function heapKiB() {
  for (let time = 0; time < 4; time += 1) {
    globalThis.gc();
    await wait(50);
  }
  return process.memoryUsage().heapUsed / 1_024;
}
