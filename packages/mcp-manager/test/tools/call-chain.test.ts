import type { CallMiddleware, ToolCallResult, ToolDescriptor } from "@jackfield/mcp-core";
import { describe, expect, it, vi } from "vitest";
import { throughMiddleware } from "../../src/tools/call-chain.ts";

const TOOL: ToolDescriptor = {
  name: "mcp__a__echo",
  server: "a",
  originalName: "echo",
  description: "",
  definition: { name: "echo", inputSchema: { type: "object" } },
  origin: "live",
  requiresApproval: false,
};

const pass: CallMiddleware = (_call, next) => next();
const hang = () => new Promise<never>(() => {});
/** Hangs with what it was given. */
const swallow: CallMiddleware = (_call, next) => {
  void next().catch(() => {});
  return hang();
};

describe("a call that is aborted while middleware has it", () => {
  it.each<[string, readonly CallMiddleware[], string]>([
    ["before it was handed on", [hang], "not-sent"],
    ["before all handed it on", [pass, hang], "not-sent"],
    ["before all handed it on, though the outermost does not hear", [swallow, hang], "not-sent"],
    ["after it was made", [pass], "unknown"],
    ["after it was made, though the outermost does not hear", [swallow, pass], "unknown"],
  ])("%s", async (_title, use, outcome) => {
    const made = vi.fn(hang);
    const caller = new AbortController();
    const calling = throughMiddleware(use, made)(TOOL, {}, { signal: caller.signal });
    await new Promise((resolve) => setImmediate(resolve));
    caller.abort();
    await expect(calling).rejects.toMatchObject({ code: "MCP_ABORTED", outcome, server: "a", tool: "echo" });
    expect(made).toHaveBeenCalledTimes(outcome === "unknown" ? 1 : 0);
  });

  it("and handed on afterwards was not sent, as its caller is told", async () => {
    const answer: ToolCallResult = { content: [] };
    const caller = new AbortController();
    const { signal } = caller;
    const handsOnLate: CallMiddleware = async (_call, next) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      void next().catch(() => {});
      return hang();
    };
    const send = vi.fn((_tool, _args, options) => {
      options.signal?.throwIfAborted();
      return Promise.resolve(answer);
    });
    const calling = throughMiddleware([handsOnLate], send)(TOOL, {}, { signal });
    caller.abort();
    await expect(calling).rejects.toMatchObject({ code: "MCP_ABORTED", outcome: "not-sent" });
    expect(send).toHaveBeenCalledOnce();
  });

  it("knows of each call for itself", async () => {
    const caller = new AbortController();
    const { signal } = caller;
    const use: CallMiddleware = ({ args }, next) => (args.isHeld === true ? hang() : next());
    const call = throughMiddleware([use], hang);
    const outcomes = [{ isHeld: false }, { isHeld: true }].map((args) =>
      call(TOOL, args, { signal }).catch(({ outcome }) => outcome),
    );
    await new Promise((resolve) => setImmediate(resolve));
    caller.abort();
    expect(await Promise.all(outcomes)).toEqual(["unknown", "not-sent"]);
  });
});
