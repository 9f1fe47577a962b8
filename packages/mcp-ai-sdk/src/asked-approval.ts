import { isDeepStrictEqual } from "node:util";

/** A call that the AI SDK is about to make. */
export interface PendingCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/**
 * Whether a person approved a call, according to the messages, in which the AI SDK keeps its approvals. The SDK itself checks the
 * response before it runs such a call; this only finds out whether there was one.
 *
 * Models choose the ids of calls, and some start over in each message. So an approval counts only for the last call with that id,
 * until it has a result, and for no other tool or input.
 */
export function wasApproved(messages: unknown, call: PendingCall): boolean {
  // Most conversations have no approval: they are scanned once, and nothing is built from them.
  return Array.isArray(messages) && messages.some(hasApproval) && isLastCallApproved(partsOf(messages), call);
}

function hasApproval(message: unknown): boolean {
  return contentOf(message).some((part) => part.type === "tool-approval-response" && part.approved === true);
}

function isLastCallApproved(parts: readonly Part[], { toolCallId, toolName, input }: PendingCall): boolean {
  const requests = new Set<unknown>();
  let currentCall: NamedCall | undefined;
  let isApproved = false;
  const begin = (call: NamedCall | undefined) => {
    requests.clear();
    currentCall = call;
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
  return isApproved && currentCall?.toolName === toolName && isSameInput(currentCall.input, input);
}

/** Compares inputs as JSON, since messages are stored so. */
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
