import type { Turn } from "./conversation.ts";
import { describeError } from "./error-line.ts";
import type { AgentFramework } from "./frameworks/agent-framework.ts";
import type { Screen } from "./screen.ts";
import { type TerminalStyle, withoutControls } from "./terminal-style.ts";

export interface ScriptedRunOptions {
  readonly framework: AgentFramework;
  readonly turns: readonly Turn[];
  readonly screen: Screen;
  readonly style: TerminalStyle;
  readonly signal: AbortSignal;
}

/**
 * Plays a conversation and prints it. A failed turn does not end it; an abort does.
 *
 * @returns How many answers were not as expected.
 */
export async function playConversation(options: ScriptedRunOptions): Promise<number> {
  const { turns, screen, style, signal } = options;
  let wrong = 0;
  for (const { say, expect } of turns) {
    screen.write(`${style.bold(">")} ${say}`);
    const right = await playTurn({ say, expect }, options);
    signal.throwIfAborted();
    if (!right) wrong += 1;
    const verdict = right ? style.good("right") : style.bad("WRONG, it should be");
    screen.write(`  ${verdict}: ${expect.description}`);
  }
  const allRight = style.good(`All ${turns.length} answers were right.`);
  screen.write(wrong === 0 ? allRight : style.bad(`${wrong} of ${turns.length} answers were wrong.`));
  return wrong;
}

async function playTurn(turn: Turn, options: ScriptedRunOptions): Promise<boolean> {
  const { framework, screen, style, signal } = options;
  try {
    const print = (text: string) => screen.print(withoutControls(text));
    return turn.expect.holds(await framework.ask(turn.say, { signal, print }));
  } catch (error) {
    screen.write(style.bad(describeError(error)));
    return false;
  }
}
