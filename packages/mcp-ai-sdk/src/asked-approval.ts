/**
 * Whether a person was asked about a call and agreed, as the conversation says in which the AI SDK keeps its approvals. The SDK
 * runs a call that was asked about only after it has checked the answer; here it is only found out whether there was one.
 */
export function wasApproved(messages: unknown, toolCallId: string): boolean {
  // Most conversations have no answer of a person: they are looked through once, and nothing is made of them.
  return Array.isArray(messages) && messages.some(hasAgreement) && isAgreed(partsOf(messages), toolCallId);
}

function hasAgreement(message: unknown): boolean {
  return contentOf(message).some(isAgreement);
}

function isAgreement(part: Part): boolean {
  return part.type === "tool-approval-response" && part.approved === true;
}

function isAgreed(parts: readonly Part[], toolCallId: string): boolean {
  const asked = parts.filter(
    (part) => part.type === "tool-approval-request" && toolCallOf(part) === toolCallId,
  );
  return asked.some(({ approvalId }) =>
    parts.some((part) => isAgreement(part) && part.approvalId === approvalId),
  );
}

interface Part {
  readonly type?: unknown;
  readonly approvalId?: unknown;
  readonly approved?: unknown;
  readonly toolCallId?: unknown;
  readonly toolCall?: { readonly toolCallId?: unknown } | undefined;
}

function toolCallOf({ toolCallId, toolCall }: Part): unknown {
  return toolCallId ?? toolCall?.toolCallId;
}

function partsOf(messages: readonly unknown[]): readonly Part[] {
  return messages.flatMap(contentOf);
}

function contentOf(message: unknown): readonly Part[] {
  if (typeof message !== "object" || message === null || !("content" in message)) return [];
  return Array.isArray(message.content) ? (message.content as Part[]) : [];
}
