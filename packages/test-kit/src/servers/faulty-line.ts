import type { FaultScript } from "./fault-script.ts";
import { isAnswer, type RpcMessage } from "./rpc-message.ts";

/** The lines that a server writes to its stdout for one message. */
export function faultyLines(
  message: RpcMessage,
  script: FaultScript,
  because: string | undefined,
): readonly string[] {
  if (!isAnswer(message)) return [JSON.stringify(message)];
  const { junk = {}, duplicateAnswers, strayAnswers, answerBytes } = script;
  const answer = script.stringIds ? { ...message, id: String(message.id) } : message;
  const line = JSON.stringify(padded(answer, answerBytes?.[because ?? ""] ?? 0));
  return [
    ...(junk.before ?? []),
    ...(strayAnswers ? [strayAnswer(987_654_321), strayAnswer("never asked")] : []),
    line,
    ...(duplicateAnswers ? [line] : []),
    ...(junk.after ?? []),
  ];
}

function strayAnswer(id: string | number): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result: {} });
}

/** Pads the result of an answer so that its line has at least `lineBytes`; an error stays as it is. */
function padded(answer: RpcMessage, lineBytes: number): RpcMessage {
  const { result } = answer;
  const missing = lineBytes - Buffer.byteLength(JSON.stringify(answer));
  if (!result || missing <= 0) return answer;
  return {
    ...answer,
    result: { ...result, _meta: { ...(result._meta as object), padding: "x".repeat(missing) } },
  };
}
