/**
 * Whether a person was asked about a call and agreed, as the conversation says in which the AI SDK keeps its approvals. The SDK
 * runs a call that was asked about only after it has checked the answer; here it is only found out whether there was one.
 */
export function wasApproved(messages: unknown, toolCallId: string): boolean {
  const parts = partsOf(messages);
  const asked = parts.filter(
    (part) => part.type === "tool-approval-request" && toolCallOf(part) === toolCallId,
  );
  return asked.some(({ approvalId }) =>
    parts.some(
      (part) =>
        part.type === "tool-approval-response" && part.approvalId === approvalId && part.approved === true,
    ),
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

function partsOf(messages: unknown): readonly Part[] {
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message: unknown) => {
    if (typeof message !== "object" || message === null || !("content" in message)) return [];
    return Array.isArray(message.content) ? (message.content as Part[]) : [];
  });
}
