import { type CallMiddleware, McpError, type ToolCallResult, type ToolDescriptor } from "@jackfield/mcp-core";
import { describe, expect, it, vi } from "vitest";
import { throughMiddleware } from "../../src/tools/tool-caller.ts";

const TOOL: ToolDescriptor = {
  name: "mcp__a__echo",
  server: "a",
  originalName: "echo",
  description: "",
  definition: { name: "echo", inputSchema: { type: "object" } },
  origin: "live",
  requiresApproval: false,
};

const ORIGIN = { foundOn: undefined, isFreshlyFound: false, checkedArgs: undefined };

const pass: CallMiddleware = (_call, next) => next();
const hang = () => new Promise<never>(() => {});
/** Hangs with what it was given. */
const swallow: CallMiddleware = (_call, next) => {
  void next().catch(() => {});
  return hang();
};

describe("a call that is aborted while middleware holds it", () => {
  it.each<[string, readonly CallMiddleware[], string]>([
    ["rejects as not-sent if next() was not called", [hang], "not-sent"],
    ["rejects as not-sent if the inner middleware did not call next()", [pass, hang], "not-sent"],
    [
      "rejects as not-sent if the inner did not call next() and the outer ignores the abort",
      [swallow, hang],
      "not-sent",
    ],
    ["rejects with an unknown outcome if it was made", [pass], "unknown"],
    [
      "rejects with an unknown outcome if it was made and the outer ignores the abort",
      [swallow, pass],
      "unknown",
    ],
  ])("%s", async (_title, use, outcome) => {
    const made = vi.fn(hang);
    const caller = new AbortController();
    const calling = throughMiddleware(use, made)(TOOL, {}, { signal: caller.signal }, ORIGIN);
    await new Promise((resolve) => setImmediate(resolve));
    caller.abort();
    await expect(calling).rejects.toMatchObject({ code: "MCP_ABORTED", outcome, server: "a", tool: "echo" });
    expect(made).toHaveBeenCalledTimes(outcome === "unknown" ? 1 : 0);
  });

  it("rejects as not-sent if next() is called only after the abort", async () => {
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
    const calling = throughMiddleware([handsOnLate], send)(TOOL, {}, { signal }, ORIGIN);
    caller.abort();
    await expect(calling).rejects.toMatchObject({ code: "MCP_ABORTED", outcome: "not-sent" });
    expect(send).toHaveBeenCalledOnce();
  });

  it("has its own outcome, independent of other calls", async () => {
    const caller = new AbortController();
    const { signal } = caller;
    const use: CallMiddleware = ({ args }, next) => (args.isHeld === true ? hang() : next());
    const call = throughMiddleware([use], hang);
    const outcomes = [{ isHeld: false }, { isHeld: true }].map((args) =>
      call(TOOL, args, { signal }, ORIGIN).catch(({ outcome }) => outcome),
    );
    await new Promise((resolve) => setImmediate(resolve));
    caller.abort();
    expect(await Promise.all(outcomes)).toEqual(["unknown", "not-sent"]);
  });
});

describe("failing middleware", () => {
  const answer = (): Promise<ToolCallResult> => Promise.resolve({ content: [] });
  const broken = new Error("the scanner broke");
  const limit = new McpError("MCP_LIMIT_EXCEEDED", "The result is too long.");
  const after =
    (fail: () => unknown): CallMiddleware =>
    async (_call, next) => {
      await next();
      return fail() as ToolCallResult;
    };
  const before =
    (fail: () => unknown): CallMiddleware =>
    () =>
      fail() as Promise<ToolCallResult>;
  const throwing = (error: Error) => () => {
    throw error;
  };
  const twice: CallMiddleware = (_call, next) => next().then(() => next());

  it.each<[string, readonly CallMiddleware[], string, string]>([
    ["throws after the answer: MCP_INTERNAL, unknown", [after(throwing(broken))], "MCP_INTERNAL", "unknown"],
    [
      "throws after the answer, inside another: MCP_INTERNAL, unknown",
      [pass, after(throwing(broken))],
      "MCP_INTERNAL",
      "unknown",
    ],
    [
      "throws after the answer, around another: MCP_INTERNAL, unknown",
      [after(throwing(broken)), pass],
      "MCP_INTERNAL",
      "unknown",
    ],
    ["rejects the answer: its own code, unknown", [after(throwing(limit))], "MCP_LIMIT_EXCEEDED", "unknown"],
    [
      "returns no result after the answer: MCP_INTERNAL, unknown",
      [after(() => undefined)],
      "MCP_INTERNAL",
      "unknown",
    ],
    ["calls next() twice: MCP_INTERNAL, unknown", [twice], "MCP_INTERNAL", "unknown"],
    [
      "throws before the call: MCP_INTERNAL, not-sent",
      [before(throwing(broken))],
      "MCP_INTERNAL",
      "not-sent",
    ],
    [
      "throws before the call, inside another: MCP_INTERNAL, not-sent",
      [pass, before(throwing(broken))],
      "MCP_INTERNAL",
      "not-sent",
    ],
    ["rejects the call: its own code, not-sent", [before(throwing(limit))], "MCP_LIMIT_EXCEEDED", "not-sent"],
    [
      "returns no result in place of the call: MCP_INTERNAL, not-sent",
      [before(() => undefined)],
      "MCP_INTERNAL",
      "not-sent",
    ],
  ])("that %s", async (_title, use, code, outcome) => {
    const call = vi.fn(answer);
    for (const options of [{}, { signal: new AbortController().signal }]) {
      const error = await throughMiddleware(use, call)(TOOL, {}, options, ORIGIN).catch((thrown) => thrown);
      expect(error).toMatchObject({ code, outcome, server: "a", tool: "echo", phase: "call" });
      if (code === "MCP_INTERNAL" && outcome === "unknown")
        expect(error.message).toContain("may have been carried out");
    }
    expect(call).toHaveBeenCalledTimes(outcome === "unknown" ? 2 : 0);
  });

  it("that only passes the call on adds no promise to it", () => {
    const made = answer();
    const passOn: CallMiddleware = (_call, next) => next();
    expect(throughMiddleware([passOn], () => made)(TOOL, {}, {}, ORIGIN)).toBe(made);
  });

  it("an error of the call itself is passed on unchanged", async () => {
    const notSent = new McpError("MCP_CONNECT_FAILED", "refused", { outcome: "not-sent" });
    const call = throughMiddleware([pass, pass], () => Promise.reject(notSent));
    await expect(call(TOOL, {}, {}, ORIGIN)).rejects.toBe(notSent);
  });

  it.each<[string, () => unknown]>([
    ["does nothing", () => undefined],
    ["throws", throwing(broken)],
  ])("that returns a promise whose own `then` %s does not complete the call", async (_title, then) => {
    const own: CallMiddleware = () => Object.assign(answer(), { then }) as Promise<ToolCallResult>;
    const called = throughMiddleware([own, pass], answer)(TOOL, {}, {}, ORIGIN);
    const settled = Promise.race([
      called.catch(({ code }) => code),
      new Promise((resolve) => setImmediate(resolve, "waits")),
    ]);
    expect(["waits", "MCP_INTERNAL"]).toContain(await settled);
  });

  it("that throws after a call was refused before sending rejects as not-sent", async () => {
    const refuse: CallMiddleware = async (_call, next) => {
      await next().catch(() => {});
      throw broken;
    };
    const call = throughMiddleware([refuse], throwing(limit));
    await expect(call(TOOL, {}, {}, ORIGIN)).rejects.toMatchObject({
      code: "MCP_INTERNAL",
      outcome: "not-sent",
    });
  });
});
