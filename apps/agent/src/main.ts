import { openMcp } from "jackfield";
import { runAgent } from "./agent.ts";

const interruption = new AbortController();
const interrupt = () => interruption.abort();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupt);
// The reader of the output may exit early, as `head` does.
process.stdout.on("error", interrupt);

process.exitCode = await runAgent({
  argv: process.argv.slice(2),
  environment: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: interruption.signal,
  openRuntime: (options) => openMcp(options),
});
