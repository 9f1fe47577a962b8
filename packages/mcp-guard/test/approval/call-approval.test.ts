import { type ToolDescriptor, toolDigest } from "@jackfield/mcp-core";
import { memoryStateStore } from "@jackfield/test-kit";
import { describe, expect, test, vi } from "vitest";
import {
  type ApprovalAnswer,
  type CallApprovalOptions,
  callApproval,
} from "../../src/approval/call-approval.ts";
import { callThrough, offeredTool, textResult } from "../tool-fixture.ts";

const answer = textResult("done");

function call(options: CallApprovalOptions, tool?: ToolDescriptor, approved?: string) {
  return callThrough(callApproval(options).middleware, answer, { approved }, tool);
}

function answers(...given: ApprovalAnswer[]) {
  return vi.fn(async () => given.shift() ?? ("refuse" as const));
}

describe("approval of calls", () => {
  test("[T39] a call that needs approval is denied and not sent when there is nobody to ask", async () => {
    await expect(call({})).rejects.toMatchObject({
      code: "MCP_CALL_DENIED",
      outcome: "not-sent",
      server: "files",
    });
  });

  test("a call that needs no approval is not asked about", async () => {
    const ask = answers();
    expect(await call({ calls: "never", ask })).toBe(answer);
    expect(ask).not.toHaveBeenCalled();
  });

  test("a call the framework has approved is not asked about again", async () => {
    const ask = answers();
    const tool = offeredTool({});
    expect(await call({ ask }, tool, toolDigest(tool))).toBe(answer);
    expect(ask).not.toHaveBeenCalled();
  });

  test("a call is asked about if the framework has approved another version of its tool", async () => {
    const ask = answers();
    const approved = toolDigest(offeredTool({ description: "before" }));
    await expect(call({ ask }, offeredTool({}), approved)).rejects.toMatchObject({ code: "MCP_CALL_DENIED" });
    expect(ask).toHaveBeenCalledOnce();
  });

  test("the answer once covers one call, run covers all later calls", async () => {
    const ask = answers("once", "run");
    const { middleware } = callApproval({ ask });
    for (let made = 0; made < 5; made += 1) expect(await callThrough(middleware, answer, {})).toBe(answer);
    expect(ask).toHaveBeenCalledTimes(2);
  });

  test("the answer forever holds in the next run, for exactly this tool of this server", async () => {
    const store = memoryStateStore();
    expect(await call({ store, ask: answers("forever") })).toBe(answer);
    expect(await call({ store })).toBe(answer);
    await expect(call({ store }, offeredTool({ description: "changed" }))).rejects.toThrow("not approved");
    await expect(call({ store }, offeredTool({}, "other"))).rejects.toThrow("not approved");
  });

  test.each([undefined, "yes", true, {}])("the unknown answer %j denies the call", async (given) => {
    const ask = async () => given as unknown as ApprovalAnswer;
    await expect(call({ ask })).rejects.toMatchObject({ code: "MCP_CALL_DENIED" });
  });

  test("two concurrent calls are asked about once when the answer is run", async () => {
    const asked = Promise.withResolvers<ApprovalAnswer>();
    const ask = vi.fn(() => asked.promise);
    const { middleware } = callApproval({ ask });
    const calls = [callThrough(middleware, answer, {}), callThrough(middleware, answer, {})];
    asked.resolve("run");
    expect(await Promise.all(calls)).toEqual([answer, answer]);
    expect(ask).toHaveBeenCalledTimes(1);
  });

  test("an aborted caller does not wait for the answer", async () => {
    const controller = new AbortController();
    const ask = vi.fn(() => new Promise<ApprovalAnswer>(() => {}));
    const made = callThrough(callApproval({ ask }).middleware, answer, { signal: controller.signal });
    controller.abort();
    await expect(made).rejects.toMatchObject({ code: "MCP_ABORTED", outcome: "not-sent" });
  });

  test("a rule function that fails or returns a non-boolean requires approval", async () => {
    const failing = () => Promise.reject(new Error("broken"));
    await expect(call({ calls: failing })).rejects.toMatchObject({ code: "MCP_CALL_DENIED" });
    await expect(call({ calls: () => 0 as unknown as boolean })).rejects.toMatchObject({
      code: "MCP_CALL_DENIED",
    });
    expect(await call({ calls: () => false })).toBe(answer);
  });

  test("[T60] a readOnlyHint exempts a tool from approval only under the annotations rule", async () => {
    const lying = offeredTool({ name: "delete_all", annotations: { readOnlyHint: true } });
    await expect(call({ calls: "always" }, lying)).rejects.toMatchObject({ code: "MCP_CALL_DENIED" });
    expect(await call({ calls: "annotations" }, lying)).toBe(answer);
  });

  test("the policy sets requiresApproval on tools and keeps one set by an earlier policy", () => {
    const { policy } = callApproval({ calls: { servers: { files: "never" }, others: "always" } });
    expect(policy(offeredTool())).toMatchObject({ requiresApproval: false });
    expect(policy(offeredTool({}, "other"))).toMatchObject({ requiresApproval: true });
    expect(policy({ ...offeredTool(), requiresApproval: true })).toMatchObject({ requiresApproval: true });
  });

  test("a call is denied when asking fails", async () => {
    const ask = () => Promise.reject(new Error("the terminal is gone"));
    const refusal = {
      code: "MCP_CALL_DENIED",
      outcome: "not-sent",
      cause: { message: "the terminal is gone" },
    };
    await expect(call({ ask })).rejects.toMatchObject(refusal);
  });

  test("a waiting caller is asked about when the first one aborts its unanswered question", async () => {
    const controller = new AbortController();
    const questions: PromiseWithResolvers<ApprovalAnswer>[] = [];
    const ask = vi.fn(() => {
      questions.push(Promise.withResolvers<ApprovalAnswer>());
      return (questions.at(-1) as PromiseWithResolvers<ApprovalAnswer>).promise;
    });
    const { middleware } = callApproval({ ask });
    const first = callThrough(middleware, answer, { signal: controller.signal });
    const second = callThrough(middleware, answer, {});
    await vi.waitFor(() => expect(ask).toHaveBeenCalledTimes(1));
    controller.abort();
    await expect(first).rejects.toMatchObject({ code: "MCP_ABORTED" });
    await vi.waitFor(() => expect(ask).toHaveBeenCalledTimes(2));
    questions[1]?.resolve("once");
    expect(await second).toBe(answer);
  });

  test.each([
    ["an error", new Error("disk full"), "Error: disk full"],
    ["a value without a text", Object.create(null), "a value without a text"],
  ])("a store that fails with %s is logged and does not fail the call", async (_, thrown, error) => {
    const broken = () => Promise.reject(thrown);
    const store = { ...memoryStateStore(), get: broken, set: broken };
    const log = vi.fn();
    const ask = answers("forever");
    const { middleware } = callApproval({ ask, store, log });
    expect(await callThrough(middleware, answer, {})).toBe(answer);
    expect(await callThrough(middleware, answer, {})).toBe(answer);
    expect(ask).toHaveBeenCalledTimes(1);
    expect(log.mock.calls).toEqual([
      ["warn", "An approval of calls could not be read.", { error }],
      ["warn", "An approval of calls could not be stored.", { error }],
    ]);
  });
});
