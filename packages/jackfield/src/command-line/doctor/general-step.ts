/** How the messages of errors and diagnostics begin what to do: in their last sentence, or after its semicolon. */
const STEP =
  /^(?:add|check|choose|copy|correct|create|fix|give|have|install|keep|leave|make|move|name|put|raise|remove|rename|review|run|save|set|shorten|split|trust|update|use|write) /i;

/** A step for many messages, which is left out after a message that ends with a step of its own. */
export function generalStep(message: string, step: string): string | undefined {
  const end = message.split(/[.;] +/).at(-1) ?? "";
  return STEP.test(end) ? undefined : step;
}
