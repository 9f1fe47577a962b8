import { aiSdkTools } from "@jackfield/mcp-ai-sdk";
import { useLeakCheck } from "@jackfield/test-kit";
import { expect, it } from "vitest";
import { openMcp } from "../src/index.ts";
import { scriptServer } from "./fixture.ts";

useLeakCheck();

/** It takes any number, though its schema says that it is to be a number. */
const LENIENT = `
  const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  const inputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params = {} } = JSON.parse(line);
    if (method === "initialize")
      answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
    else if (method === "tools/list") answer(id, { tools: [{ name: "double", inputSchema }] });
    else if (method === "tools/call") answer(id, { content: [{ type: "text", text: String(params.arguments.n * 2) }] });
    else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "No." } }));
  });`;

it.each([
  [undefined, undefined, "MCP_ARGUMENTS_INVALID"],
  [false, undefined, "42"],
  [undefined, false, "42"],
  [true, false, "MCP_ARGUMENTS_INVALID"],
])(
  "with checkArguments %s in the entry and %s for all, a model's text in place of a number gives %s",
  async (own, general, seen) => {
    await using mcp = await openMcp({
      discover: false,
      cache: false,
      servers: { s: scriptServer(LENIENT, { checkArguments: own }) },
      limits: { checkArguments: general },
    });
    const output = await aiSdkTools(mcp).mcp__s__double?.execute(
      { n: "21" },
      { toolCallId: "1", messages: [] },
    );
    expect(JSON.stringify(output)).toContain(seen);
  },
);
