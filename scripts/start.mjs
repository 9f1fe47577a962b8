// `npm start`: sets everything up and runs the sample agent. Words after `npm start --` go to the agent.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fail, install, ownEnvironment, ownNode, root, run } from "./workspace.mjs";

console.error("setting up (the first time takes about a minute) …");
install();
const build = await run("turbo", [
  "run",
  "build",
  "--filter=@jackfield/agent...",
  "--output-logs=errors-only",
]);
if (build.code !== 0) fail("The agent could not be built.", build.output);

const agent = spawn(ownNode, [join(root, "apps", "agent", "dist", "main.js"), ...process.argv.slice(2)], {
  stdio: "inherit",
  env: ownEnvironment(),
});
// The terminal tells the agent of Ctrl+C itself; what is sent to this process alone is handed on.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => agent.kill(signal));
agent.on("close", (code, signal) => {
  process.exitCode = code ?? (signal === "SIGINT" ? 130 : 1);
});
