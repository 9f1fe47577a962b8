import { readFileSync, writeFileSync } from "node:fs";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { openMcp } from "../src/index.ts";
import { scriptServer, useTemporaryHome } from "./fixture.ts";

useLeakCheck();
const folder = useTemporaryHome();

/** A stdio server that records every call, and dies during the first of them. */
function mortalServer(file: string, deaths: number) {
  return scriptServer(`
    const { appendFileSync, readFileSync } = require("node:fs");
    const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
    require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params = {} } = JSON.parse(line);
      if (method === "initialize")
        answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
      else if (method === "tools/list") answer(id, { tools: [{ name: "add", inputSchema: { type: "object" } }] });
      else if (method === "tools/call") {
        appendFileSync(${JSON.stringify(file)}, "call\\n");
        const calls = readFileSync(${JSON.stringify(file)}, "utf8").split("\\n").length - 1;
        if (calls <= ${deaths}) process.kill(process.pid, "SIGKILL");
        else answer(id, { content: [{ type: "text", text: "call " + calls }] });
      } else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "No." } }));
    });`);
}

describe("the replay option, when the server dies during a call", () => {
  it.each([
    { replay: 0, deaths: 1, calls: 1, answer: "MCP_OUTCOME_UNKNOWN" },
    { replay: 1, deaths: 1, calls: 2, answer: "call 2" },
    { replay: 1, deaths: 2, calls: 2, answer: "MCP_OUTCOME_UNKNOWN" },
    { replay: 3, deaths: 3, calls: 4, answer: "call 4" },
  ])("$replay, with $deaths deaths, gives $answer", async ({ replay, deaths, calls, answer }) => {
    const file = folder.file("calls");
    writeFileSync(file, "");
    await using mcp = await openMcp({
      discover: false,
      cache: false,
      servers: { s: mortalServer(file, deaths) },
      retry: { delaysMs: [1, 1, 1, 1] },
    });
    const called = mcp.callTool({ server: "s", tool: "add" }, {}, { replay });
    const seen = await called.then(
      ({ content }) => content[0],
      (error) => ({ text: error.code }),
    );
    expect(seen).toMatchObject({ text: answer });
    expect(readFileSync(file, "utf8")).toBe("call\n".repeat(calls));
  });
});
