import { answer, type IncomingMessage } from "./answer.ts";
import { noteStart, readBehaviour } from "./notes.ts";

/**
 * A server on the standard streams. It ends when its input does, so none is left when its client dies.
 *
 * Its arguments are its name, and the directory of its notes if it has one: there it writes down that it was started, and reads how to
 * behave. `{ "delayMs": 3000 }` answers nothing before that much time has passed, `{ "hangs": true }` nothing ever.
 */
const [, , name = "", notesDirectory] = process.argv;

if (notesDirectory === undefined) listen();
else behave(notesDirectory);

function behave(directory: string): void {
  noteStart(directory, name);
  const { delayMs = 0, hangs = false } = readBehaviour(directory, name);
  if (hangs) process.stdin.on("end", () => process.exit()).resume();
  else if (delayMs > 0) setTimeout(listen, delayMs);
  else listen();
}

function listen(): void {
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
}
