// examples/container/server.mts
import { createServer } from "node:http";
import { openMcp } from "jackfield";

const mcp = await openMcp({
  discover: false, // Nothing but this file, wherever the process was started.
  configFiles: [process.env.MCP_CONFIG ?? "/etc/agent/mcp.json"],
  cache: { path: process.env.MCP_CACHE ?? "/tmp/mcp-catalog" }, // or `false`: the tools are asked for at each start
  log: (level, message, fields) => console.error(JSON.stringify({ level, message, ...fields })),
});

const server = createServer(async (request, response) => {
  if (request.url === "/live") return void response.end("alive\n");
  // Ready: every server can be used. A server that failed is named, with the reason.
  const failed = mcp.servers().filter(({ status }) => status === "failed");
  response.statusCode = failed.length === 0 ? 200 : 503;
  response.end(JSON.stringify(failed.map(({ name, error }) => ({ name, error: error?.message }))));
});
server.listen(Number(process.env.PORT ?? 8080), () => console.error("listening", server.address()));

// Process 1 has no handler of its own: without one, the signal would be ignored, and the container killed.
for (const signal of ["SIGTERM", "SIGINT"] as const)
  process.once(signal, async () => {
    server.close();
    await mcp.close({ drainMs: 10_000 }); // Calls under way may end; then every server's processes are ended.
    process.exit(0);
  });
