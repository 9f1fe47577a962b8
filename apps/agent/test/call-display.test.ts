import { McpError, type ToolCallResult } from "@jackfield/mcp-core";
import { createFakeToolSource } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { showCalls } from "../src/call-display.ts";
import { openScreen } from "../src/screen.ts";
import { terminalStyle } from "../src/terminal-style.ts";
import { createTextSink } from "./fixtures/text-sink.ts";

const style = terminalStyle({}, {});
const picture: ToolCallResult = { content: [{ type: "image", data: "", mimeType: "image/png" }] };

async function show(next: () => Promise<ToolCallResult>, args = {}, columns = 80): Promise<string[]> {
  const [tool] = createFakeToolSource([{ definition: { name: "get" } }]).tools();
  if (tool === undefined) throw new Error("The source offers no tool.");
  const sink = createTextSink();
  const call = { tool, args, options: {} };
  const screen = openScreen(Object.assign(sink, { columns }));
  await Promise.allSettled([showCalls(screen, style)(call, next)]);
  return sink.text.trimEnd().split("\n");
}

describe("calls on the screen", () => {
  it("show arguments, duration and the media types of the result", async () => {
    expect(await show(async () => picture, { path: "a b" })).toEqual([
      '  → mcp__fake__get {"path":"a b"}',
      expect.stringMatching(/^ {2}✓ mcp__fake__get \d+ ms, image\/png$/),
    ]);
  });

  it("are marked if the tool returns an error or the call fails", async () => {
    const failed = await show(async () => ({ content: [], isError: true }));
    expect(failed[1]).toMatch(/^ {2}! mcp__fake__get \d+ ms$/);
    const lost = await show(() => Promise.reject(new McpError("MCP_CALL_TIMEOUT", "Too late.")));
    expect(lost[1]).toMatch(/^ {2}! mcp__fake__get \d+ ms, MCP_CALL_TIMEOUT$/);
  });

  it("take one line each, cut long arguments and drop their control characters", async () => {
    const [line = ""] = await show(async () => picture, { text: `\u009b2J\n${"x".repeat(100)}` }, 40);
    expect(line).toHaveLength(40);
    expect(line).toBe('  → mcp__fake__get {"text":"2J\\nxxxxxxx…');
  });
});
