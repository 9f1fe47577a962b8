const VERBS =
  "add|ask|check|choose|close|connect|copy|correct|create|fix|give|have|install|keep|leave|list|log in|make|" +
  "move|name|open|pass|put|raise|read|reconnect|remove|rename|report|restore|review|run|save|see|send|set|" +
  "shorten|split|start|tell|trust|try|update|use|write";

/** What may stand before the verb: a condition, or the reason with a colon. */
const LEAD = "(?:(?:if you|for|to) [^,]+, |otherwise |please |[^:]+: (?=have |put ))?";

/** How the messages of errors and diagnostics begin what to do: in their last sentence, or after its semicolon. */
const STEP = new RegExp(`^${LEAD}(?:${VERBS})[ ,]`, "i");

/** Whether a message ends with a step of its own. */
export function endsWithStep(message: string): boolean {
  return STEP.test(message.split(/[.;] +/).at(-1) ?? "");
}

/** A step for many messages, which is left out after a message that ends with a step of its own. */
export function generalStep(message: string, step: string): string | undefined {
  return endsWithStep(message) ? undefined : step;
}
