import type { Readable } from "node:stream";
import {
  approvalQuestion,
  approvalText,
  promptApprover,
  type ServerApprovalRequest,
} from "@jackfield/mcp-config";
import { McpError } from "@jackfield/mcp-core";
import { canRedraw, type Output } from "./terminal.ts";

export interface ApprovalQuestionOptions {
  readonly input: Readable;
  readonly output: Output;
  /** Cancels the question. */
  readonly signal: AbortSignal;
}

/**
 * Shows a whole definition and asks on a terminal whether it may run. Enter alone chooses "No", so nothing that was typed ahead approves
 * anything by accident. The end of the input counts as "No".
 *
 * @throws McpError `MCP_ABORTED` for Ctrl+C and Esc, which cancel this question and all that follow.
 */
export async function askForApproval(
  request: ServerApprovalRequest,
  { input, output, signal }: ApprovalQuestionOptions,
): Promise<boolean> {
  if (!canRedraw(output)) {
    const isApproved = await promptApprover({ input, output })(request, { signal });
    if (signal.aborted) throw stopped();
    return isApproved;
  }
  const text = approvalText(request, output.columns || undefined);
  output.write(`\nA file of this project wants to run an MCP server:\n\n${text}\n\n`);
  const question = new AbortController();
  const giveUp = () => question.abort();
  input.once("end", giveUp);
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    const answer = await choose(approvalQuestion(request), { input, output, signal: question.signal });
    if (answer !== undefined) return answer;
  } finally {
    input.removeListener("end", giveUp);
    signal.removeEventListener("abort", giveUp);
  }
  if (question.signal.aborted && !signal.aborted) return false;
  throw stopped();
}

function stopped(): McpError {
  const message = "Cancelled before every server was reviewed; the approvals given so far remain.";
  return new McpError("MCP_ABORTED", message, { phase: "approve" });
}

/** `undefined` if nothing was chosen. */
async function choose(message: string, streams: ApprovalQuestionOptions): Promise<boolean | undefined> {
  // Loaded here, because hardly any command asks.
  const { select } = await import("@clack/prompts");
  const answer = await select({
    message,
    options: [
      { value: false, label: "No, not now" },
      { value: true, label: "Yes, exactly this" },
    ],
    initialValue: false,
    ...streams,
  });
  return typeof answer === "boolean" ? answer : undefined;
}
