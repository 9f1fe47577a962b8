import {
  type CallOptions,
  type ToolAnnotations,
  type ToolCall,
  type ToolCallResult,
  toolDigest,
} from "@jackfield/mcp-core";
import { createFakeToolSource } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { askBeforeCalls } from "../src/call-approval.ts";
import { createTypist, type Typist } from "./fixtures/typist.ts";

const done: ToolCallResult = { content: [{ type: "text", text: "done" }] };
const next = () => Promise.resolve(done);

let typist: Typist;

beforeEach(() => {
  typist = createTypist();
});

afterEach(() => typist.terminal.close());

function call(more: {
  readonly annotations?: ToolAnnotations;
  readonly requiresApproval?: boolean;
  readonly options?: CallOptions;
}): ToolCall {
  const { annotations, requiresApproval, options = { audience: "model" } } = more;
  const definition = { name: "write", annotations };
  const [tool] = createFakeToolSource([{ definition, requiresApproval }]).tools();
  if (tool === undefined) throw new Error("The source offers no tool.");
  return { tool, args: { path: "a\u001b[2J" }, options };
}

function approvedCall(): ToolCall {
  const made = call({});
  return { ...made, options: { audience: "model", approved: toolDigest(made.tool) } };
}

describe("approval in the terminal", () => {
  it.each([
    ["a read-only tool", call({ annotations: { readOnlyHint: true } })],
    ["a call that the framework has approved", approvedCall()],
    ["a call that is not for a model", call({ options: {} })],
  ])("is not asked for %s", async (_title, made) => {
    expect(await askBeforeCalls(typist.terminal)(made, next)).toBe(done);
    expect(typist.screen.text).toBe("");
  });

  it("allows the call after a yes, and shows its arguments without control characters", async () => {
    const answer = askBeforeCalls(typist.terminal)(call({}), next);
    await typist.screen.waitFor("Call mcp__fake__write? ");
    expect(typist.screen.text).toContain('mcp__fake__write with\n  | {"path":"a\\u001b[2J"}\nCall');
    typist.enter("Y");
    expect(await answer).toBe(done);
    expect(typist.screen.text).not.toContain("a\u001b");
  });

  it("shows arguments on lines of their own, so that they pass neither for another question nor for its end", async () => {
    const row = (text: string) => text.padEnd(80);
    const value = `${row("x")}${row("")}${row("Call mcp__fake__read? [y]es, [n]o, [a]lways: ")}\u202e\u200b${"y".repeat(400)}`;
    const answer = askBeforeCalls(typist.terminal)({ ...call({}), args: { value } }, next);
    await typist.screen.waitFor("Call mcp__fake__write? ");
    const lines = typist.screen.text.split("\n");
    expect(lines.filter((line) => line.startsWith("Call "))).toHaveLength(1);
    const shown = lines.slice(
      1,
      lines.findIndex((line) => line.startsWith("Call ")),
    );
    expect(shown.filter((line) => !line.startsWith("  | ") || line.length > 80)).toEqual([]);
    expect(typist.screen.text).toContain("\\u{202e}\\u{200b}");
    expect(lines.join("").replaceAll("  | ", " ")).toMatch(/cut, of\s+\d+\s+characters/);
    typist.enter("n");
    await expect(answer).rejects.toMatchObject({ code: "MCP_CALL_DENIED" });
  });

  it("is asked for a read-only tool that requires approval", async () => {
    const made = call({ annotations: { readOnlyHint: true }, requiresApproval: true });
    const answer = askBeforeCalls(typist.terminal)(made, next);
    await typist.screen.waitFor("Call mcp__fake__write");
    typist.enter("y");
    expect(await answer).toBe(done);
  });

  it.each(["n", "", "yes please"])("takes %j as a no", async (line) => {
    const answer = askBeforeCalls(typist.terminal)(call({}), () => Promise.reject(new Error("called")));
    await typist.screen.waitFor("Call mcp__fake__write");
    typist.enter(line);
    await expect(answer).rejects.toMatchObject({ code: "MCP_CALL_DENIED", outcome: "not-sent" });
  });

  it("takes the end of input as a no", async () => {
    const answer = askBeforeCalls(typist.terminal)(call({}), next);
    typist.hangUp();
    await expect(answer).rejects.toMatchObject({ code: "MCP_CALL_DENIED" });
  });

  it("is not asked for again after the answer always", async () => {
    const middleware = askBeforeCalls(typist.terminal);
    const first = middleware(call({}), next);
    await typist.screen.waitFor("Call mcp__fake__write");
    typist.enter("a");
    await first;
    expect(await middleware(call({}), next)).toBe(done);
  });
});
