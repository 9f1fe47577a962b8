/** The text of a message as LangChain.js answers with it: its content is a text or a list of blocks. */
export function messageText(answer: unknown): string {
  if (typeof answer === "string") return answer;
  const content = typeof answer === "object" && answer !== null && "content" in answer && answer.content;
  if (typeof content === "string") return content;
  const [block] = Array.isArray(content) ? content : [];
  if (typeof block?.text === "string") return block.text;
  throw new Error(`An answer has no text: ${JSON.stringify(answer)?.slice(0, 200)}`);
}
