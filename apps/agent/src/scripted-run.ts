import { describeAnswer } from "./answer-lines.ts";
import type { Turn } from "./conversation.ts";
import { describeError } from "./error-line.ts";
import type { AgentFramework } from "./frameworks/agent-framework.ts";
import type { TerminalStyle } from "./terminal-style.ts";

export interface ScriptedRunOptions {
  readonly framework: AgentFramework;
  readonly turns: readonly Turn[];
  readonly style: TerminalStyle;
  readonly signal: AbortSignal;
  /** Prints one line. */
  write(line: string): void;
}

/**
 * Plays a conversation and prints it. A turn that goes wrong does not end it, an abort does.
 *
 * @returns How many answers were not as expected.
 */
export async function playConversation(options: ScriptedRunOptions): Promise<number> {
  const { turns, style, signal, write } = options;
  let wrong = 0;
  for (const { say, expect } of turns) {
    write(`${style.bold(">")} ${say}`);
    const right = await playTurn({ say, expect }, options);
    signal.throwIfAborted();
    if (!right) wrong += 1;
    const verdict = right ? style.good("right") : style.bad("WRONG, it should be");
    write(`  ${verdict}: ${expect.description}`);
  }
  const allRight = style.good(`All ${turns.length} answers were right.`);
  write(wrong === 0 ? allRight : style.bad(`${wrong} of ${turns.length} answers were wrong.`));
  return wrong;
}

async function playTurn(turn: Turn, options: ScriptedRunOptions): Promise<boolean> {
  const { framework, style, signal, write } = options;
  try {
    const answer = await framework.ask(turn.say, { signal });
    for (const line of describeAnswer(answer, style)) write(line);
    return turn.expect.holds(answer);
  } catch (error) {
    write(style.bad(describeError(error)));
    return false;
  }
}
