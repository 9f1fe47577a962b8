import type { AgentAnswer } from "./frameworks/agent-framework.ts";
import { type TerminalStyle, withoutControls } from "./terminal-style.ts";

/** An answer as it is printed: the calls that led to it, then its text. */
export function describeAnswer(answer: AgentAnswer, style: TerminalStyle): string[] {
  const calls = answer.calls.map(({ name, ok, mediaTypes }) => {
    const seen = mediaTypes.length === 0 ? "" : ` (${mediaTypes.join(", ")})`;
    return withoutControls(`  ${ok ? "·" : "!"} ${name}${seen}`);
  });
  return [...calls.map(style.dim), withoutControls(answer.text)];
}
