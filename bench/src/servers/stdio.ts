import { answer, type IncomingMessage } from "./answer.ts";

/** A server on the standard streams. It ends when its input does, so none is left when its client dies. */
let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  const answers = lines.map((line) => answer(JSON.parse(line) as IncomingMessage));
  const output = answers.filter((text) => text !== undefined).map((text) => `${text}\n`);
  if (output.length > 0) process.stdout.write(output.join(""));
});
process.stdin.on("end", () => process.exit());
