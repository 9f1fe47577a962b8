// examples/next/app/page.tsx
"use client";
import { useChat } from "@ai-sdk/react";
import { lastAssistantMessageIsCompleteWithApprovalResponses as answered, isToolUIPart } from "ai";

export default function Page() {
  const { messages, sendMessage, addToolApprovalResponse } = useChat({ sendAutomaticallyWhen: answered });
  const parts = messages.flatMap((message) => message.parts);
  const decide = (id: string, approved: boolean) => () => addToolApprovalResponse({ id, approved });
  return (
    <form action={(data) => sendMessage({ text: String(data.get("text")) })}>
      {parts
        .filter(({ type }) => type === "text")
        .map((part, at) => (
          <p key={at}>{"text" in part && part.text}</p>
        ))}
      {parts.filter(isToolUIPart).map(
        (part) =>
          part.state === "approval-requested" && (
            <p key={part.toolCallId}>
              {part.type === "dynamic-tool" && part.toolName} {JSON.stringify(part.input)}
              <button type="button" onClick={decide(part.approval.id, true)}>
                Run
              </button>
              <button type="button" onClick={decide(part.approval.id, false)}>
                Refuse
              </button>
            </p>
          ),
      )}
      <input name="text" />
    </form>
  );
}
