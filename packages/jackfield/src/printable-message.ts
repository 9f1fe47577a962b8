/** Most messages. Runs of spaces could fill a row of the terminal, so that what follows begins the next one. */
const IS_PLAIN_MESSAGE = /^(?:[!-~]| (?! ))*$/;

/**
 * A message in which a text of a project or a server stands beside ours, or such a name alone: whatever an approval shows as a code is
 * shown as the same code here, and several spaces are counted. Only the ellipsis stays, with which we cut, and a backslash is not doubled,
 * so that paths can be copied. Further lines are indented.
 *
 * @param load - `visibleText`, which hardly any message needs
 */
export function printableMessage(text: string, load: () => (text: string) => string): string {
  if (IS_PLAIN_MESSAGE.test(text)) return text;
  const visibleText = load();
  const lines = text.split("\n").map((line) => visibleText(line.replaceAll("\t", " ")));
  return lines.join("\n  ").replaceAll("\\\\", "\\").replaceAll("\\u{2026}", "…");
}
