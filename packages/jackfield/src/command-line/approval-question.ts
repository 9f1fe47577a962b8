import type { Readable } from "node:stream";
import {
  approvalIntroduction,
  approvalQuestion,
  approvalText,
  definitionContent,
  promptApprover,
  type ServerApprovalRequest,
  visibleText,
} from "@jackfield/mcp-config";
import { McpError } from "@jackfield/mcp-core";
import { canRedraw, type Output } from "./terminal.ts";

export interface ApprovalQuestionOptions {
  readonly input: Readable & { setRawMode?(isRaw: boolean): unknown };
  readonly output: Output;
  /** Which of how many questions it is, from 1. */
  readonly place: { readonly number: number; readonly of: number };
  /** Cancels the question. */
  readonly signal: AbortSignal;
}

/**
 * Shows a whole definition and asks on a terminal whether it may run: `y`, `n`, or `d` for the entry as data. Enter alone chooses "No", and
 * what was typed before the question is dropped, so nothing approves anything by accident. The end of the input counts as "No".
 *
 * @throws McpError `MCP_ABORTED` for Ctrl+C and Esc, which cancel this question and all that follow.
 */
export async function askForApproval(
  request: ServerApprovalRequest,
  { input, output, place, signal }: ApprovalQuestionOptions,
): Promise<boolean> {
  if (place.of > 1) output.write(`\n${place.number} of ${place.of}`);
  if (!canRedraw(output)) {
    const isApproved = await promptApprover({ input, output })(request, { signal });
    if (signal.aborted) throw stopped();
    return isApproved;
  }
  const text = approvalText(request, output.columns || undefined);
  output.write(`\n${approvalIntroduction(request)}\n\n${text}\n\n`);
  const question = new AbortController();
  const giveUp = () => question.abort();
  input.once("end", giveUp);
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted || input.readableEnded) giveUp();
  try {
    if (await dropTypedAhead(input)) throw stopped();
    for (;;) {
      const answer = await choose(approvalQuestion(request), { input, output, signal: question.signal });
      if (answer !== "d") {
        if (answer !== undefined) return answer === "y";
        break;
      }
      output.write(`\n${entryText(request)}\n\n`);
    }
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

/** The terminal delivers what was typed before in the turns after reading has begun. */
const TURNS_TO_READ = 3;

/** Drops what was typed before the question could be read. Returns whether Ctrl+C was in it. */
async function dropTypedAhead(input: ApprovalQuestionOptions["input"]): Promise<boolean> {
  let isStopped = false;
  const drop = (typed: unknown) => {
    isStopped ||= String(typed).includes("\u0003");
  };
  input.setRawMode?.(true);
  input.on("data", drop);
  for (let turn = 0; turn < TURNS_TO_READ; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  input.removeListener("data", drop);
  input.pause();
  input.setRawMode?.(false);
  return isStopped;
}

/** What the approval covers, as data; spaces at the beginning of a line are ours. */
function entryText({ definition }: ServerApprovalRequest): string {
  const lines = JSON.stringify(JSON.parse(definitionContent(definition)), undefined, 2).split("\n");
  return lines.map((line) => line.replace(/\S.*/s, (text) => visibleText(text))).join("\n");
}

/** The key that was pressed, `n` for Enter; `undefined` if nothing was chosen. */
async function choose(
  message: string,
  streams: Pick<ApprovalQuestionOptions, "input" | "output" | "signal">,
): Promise<"y" | "n" | "d" | undefined> {
  // Loaded here, because hardly any command asks.
  const { isCancel, selectKey } = await import("@clack/prompts");
  const answer = await selectKey({
    message,
    options: [
      { value: "n", label: "No, not now (Enter)" },
      { value: "y", label: "Yes, exactly this" },
      { value: "d", label: "Details: the entry as data" },
    ],
    initialValue: "n",
    ...streams,
  });
  if (isCancel(answer)) return undefined;
  return answer === "y" || answer === "d" ? answer : "n";
}
