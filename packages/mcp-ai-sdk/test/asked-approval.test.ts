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

describe("wasApproved", () => {
  it.each<[string, readonly unknown[]]>([
    ["the call was asked about and approved", [user, called(), asked(), replied(true)]],
    ["the input has another member order", [called({ input: { path: "a", n: 1 } }), asked(), replied(true)]],
    ["an earlier call had the same id", [called(), result, called(), asked(), replied(true)]],
    ["the request itself holds the call", [asked("1", { toolCall: CALL }), replied(true)]],
    [
      "an earlier call with the same id was rejected",
      [called(), asked(), replied(false), result, called(), asked("2"), replied(true, "2")],
    ],
  ])("is true when %s", (_, messages) => {
    expect(wasApproved(messages, CALL)).toBe(true);
  });

  it.each<[string, readonly unknown[]]>([
    ["nobody was asked", [user, called()]],
    ["there is no answer yet", [called(), asked()]],
    ["the call was rejected", [called(), asked(), replied(false)]],
    ["another request was approved", [called(), asked(), replied(true, "2")]],
    ["the approved call had other input", [called({ input: { n: 2, path: "a" } }), asked(), replied(true)]],
    ["the approved call was to another tool", [called({ toolName: "look" }), asked(), replied(true)]],
    ["the approved call was already made", [called(), asked(), replied(true), result, user]],
    ["the id was used again after the approval", [called(), asked(), replied(true), called()]],
    [
      "a later call with the same id was rejected",
      [called(), asked(), replied(true), called(), asked("2"), replied(false, "2")],
    ],
    ["the conversation is empty", []],
  ])("is false when %s", (_, messages) => {
    expect(wasApproved(messages, CALL)).toBe(false);
  });

  it("is false for input that cannot be written as JSON", () => {
    const messages = [called({ input: { n: 1n } }), asked(), replied(true)];
    expect(wasApproved(messages, { ...CALL, input: { n: 1n } })).toBe(false);
  });
});
