import { isDeepStrictEqual } from "node:util";

/** A call that the AI SDK is about to make. */
export interface AskedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/**
 * Whether a person was asked about a call and agreed, as the conversation says in which the AI SDK keeps its approvals. The SDK
 * runs a call that was asked about only after it has checked the answer; here it is only found out whether there was one.
 *
 * Models number their calls as they like, and some begin anew in each answer. So an approval holds for the last call of that
 * number only, until it has a result, and for no other tool or input.
 */
export function wasApproved(messages: unknown, call: AskedCall): boolean {
  // Most conversations have no answer of a person: they are looked through once, and nothing is made of them.
  return Array.isArray(messages) && messages.some(hasAgreement) && isAgreed(partsOf(messages), call);
}

function hasAgreement(message: unknown): boolean {
  return contentOf(message).some((part) => part.type === "tool-approval-response" && part.approved === true);
}

function isAgreed(parts: readonly Part[], { toolCallId, toolName, input }: AskedCall): boolean {
  const requests = new Set<unknown>();
  let asked: NamedCall | undefined;
  let isApproved = false;
  const begin = (call: NamedCall | undefined) => {
    requests.clear();
    asked = call;
    isApproved = false;
  };
  for (const part of parts) {
    if (part.type === "tool-approval-response") {
      if (requests.has(part.approvalId)) isApproved = part.approved === true;
    } else if ((part.toolCallId ?? part.toolCall?.toolCallId) === toolCallId) {
      if (part.type === "tool-call") begin(part);
      if (part.type === "tool-result") begin(undefined);
      if (part.type === "tool-approval-request") {
        if (part.toolCall !== undefined) begin(part.toolCall);
        requests.add(part.approvalId);
      }
    }
  }
  return isApproved && asked?.toolName === toolName && isSameInput(asked.input, input);
}

/** Messages are stored as JSON, so nothing else of an input counts. */
function isSameInput(one: unknown, other: unknown): boolean {
  try {
    return isDeepStrictEqual(asJson(one), asJson(other));
  } catch {
    return false;
  }
}

function asJson(input: unknown): unknown {
  return JSON.parse(JSON.stringify(input ?? {}));
}

interface NamedCall {
  readonly toolName?: unknown;
  readonly input?: unknown;
}

interface Part extends NamedCall {
  readonly type?: unknown;
  readonly approvalId?: unknown;
  readonly approved?: unknown;
  readonly toolCallId?: unknown;
  readonly toolCall?: (NamedCall & { readonly toolCallId?: unknown }) | undefined;
}

function partsOf(messages: readonly unknown[]): readonly Part[] {
  return messages.flatMap(contentOf);
}

function contentOf(message: unknown): readonly Part[] {
  if (typeof message !== "object" || message === null || !("content" in message)) return [];
  return Array.isArray(message.content) ? (message.content as Part[]) : [];
}
