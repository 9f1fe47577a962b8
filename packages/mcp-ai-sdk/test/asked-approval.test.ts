import { describe, expect, it } from "vitest";
import { wasApproved } from "../src/asked-approval.ts";

const INPUT = { n: 1, path: "a" };
const CALL = { toolCallId: "call_0", toolName: "wipe", input: INPUT };

const called = (call: object = {}) => ({
  role: "assistant",
  content: [{ type: "tool-call", ...CALL, ...call }],
});
const asked = (approvalId = "1", request: object = { toolCallId: "call_0" }) => ({
  role: "assistant",
  content: [{ type: "tool-approval-request", approvalId, ...request }],
});
const replied = (approved: boolean, approvalId = "1") => ({
  role: "tool",
  content: [{ type: "tool-approval-response", approvalId, approved }],
});
const result = { role: "tool", content: [{ type: "tool-result", toolCallId: "call_0", toolName: "wipe" }] };
const user = { role: "user", content: "Do it." };

describe("whether a person agreed to a call", () => {
  it.each<[string, readonly unknown[]]>([
    ["asked, and agreed", [user, called(), asked(), replied(true)]],
    ["in another order of members", [called({ input: { path: "a", n: 1 } }), asked(), replied(true)]],
    ["after an earlier call of the same number", [called(), result, called(), asked(), replied(true)]],
    ["with the call in the request", [asked("1", { toolCall: CALL }), replied(true)]],
    [
      "after an earlier refusal",
      [called(), asked(), replied(false), result, called(), asked("2"), replied(true, "2")],
    ],
  ])("yes: %s", (_, messages) => {
    expect(wasApproved(messages, CALL)).toBe(true);
  });

  it.each<[string, readonly unknown[]]>([
    ["not asked", [user, called()]],
    ["no answer yet", [called(), asked()]],
    ["refused", [called(), asked(), replied(false)]],
    ["agreed to something else", [called(), asked(), replied(true, "2")]],
    ["agreed to other input", [called({ input: { n: 2, path: "a" } }), asked(), replied(true)]],
    ["agreed to another tool", [called({ toolName: "look" }), asked(), replied(true)]],
    ["agreed to once, and made", [called(), asked(), replied(true), result, user]],
    ["agreed to earlier, and called again under the number", [called(), asked(), replied(true), called()]],
    [
      "agreed, then refused under the number",
      [called(), asked(), replied(true), called(), asked("2"), replied(false, "2")],
    ],
    ["no conversation", []],
  ])("no: %s", (_, messages) => {
    expect(wasApproved(messages, CALL)).toBe(false);
  });

  it("input that cannot be written as JSON was agreed to by nobody", () => {
    const messages = [called({ input: { n: 1n } }), asked(), replied(true)];
    expect(wasApproved(messages, { ...CALL, input: { n: 1n } })).toBe(false);
  });
});
