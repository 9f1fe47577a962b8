import type { CallMiddleware, CallOptions, JsonObject, ToolRef } from "@jackfield/mcp-core";
import { toolDigest } from "@jackfield/mcp-core";
import { describe, expect, it } from "vitest";
import { startedManager } from "./started-manager.ts";

async function managerOfTool(required: unknown, use: readonly CallMiddleware[] = []) {
  const inputSchema = { type: "object" as const, required: required as string[] };
  const started = await startedManager(new Map([["s", [{ name: "t", inputSchema }]]]), { use });
  const call = (args: unknown, ref: ToolRef = "mcp__s__t", options: CallOptions = {}) =>
    started.manager.callTool(ref, args as JsonObject, options);
  return { ...started, call, sent: () => started.session("s").requests.length };
}

const REFUSED = { code: "MCP_ARGUMENTS_INVALID", outcome: "not-sent", server: "s", tool: "t" };

describe("the check of arguments", () => {
  it.each([[[]], ["text"], [null], [7]])("[T20] refuses %j, which is not an object", async (args) => {
    const { call, sent } = await managerOfTool([]);
    await expect(call(args)).rejects.toMatchObject(REFUSED);
    expect(sent()).toBe(0);
  });

  it("[T19] names the missing arguments in alphabetical order", async () => {
    const { call, sent } = await managerOfTool(["path", "content", "mode"]);
    const message = expect.stringContaining('missing required argument "content", "path"');
    await expect(call({ mode: 1 })).rejects.toMatchObject({ ...REFUSED, message });
    expect(sent()).toBe(0);
  });

  it("counts undefined as missing, but null, an empty string and false as given", async () => {
    const one = await managerOfTool(["a"]);
    await expect(one.call({ a: undefined })).rejects.toMatchObject(REFUSED);
    const three = await managerOfTool(["a", "b", "c"]);
    await three.call({ a: null, b: "", c: false });
    expect(three.sent()).toBe(1);
  });

  it("does not count inherited properties as given", async () => {
    const { call } = await managerOfTool(["toString"]);
    const message = expect.stringContaining('"toString"');
    await expect(call({})).rejects.toMatchObject({ ...REFUSED, message });
  });

  it("accepts anything if `required` in the schema is malformed", async () => {
    const { call, sent } = await managerOfTool("nonsense");
    await call({});
    expect(sent()).toBe(1);
  });

  it("is left to an adapter, which names the tool by its digest and has checked the whole schema", async () => {
    const { manager, call, sent } = await managerOfTool(["a"]);
    const digest = toolDigest(manager.tools()[0] as never);
    const ref = { server: "s", tool: "t", digest };
    await call({}, ref, { audience: "model" });
    expect(sent()).toBe(1);
    await expect(call({}, ref)).rejects.toMatchObject(REFUSED);
    await expect(call({}, "mcp__s__t", { audience: "model" })).rejects.toMatchObject(REFUSED);
  });

  it("is made for an adapter's call, too, if middleware has changed the arguments", async () => {
    const { manager, call, sent } = await managerOfTool(["a"], [(_call, next) => next({ args: {} })]);
    const digest = toolDigest(manager.tools()[0] as never);
    const calling = call({ a: 1 }, { server: "s", tool: "t", digest }, { audience: "model" });
    await expect(calling).rejects.toMatchObject(REFUSED);
    expect(sent()).toBe(0);
  });
});
