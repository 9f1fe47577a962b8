import { runProgram } from "./program.ts";
import { setUp } from "./setup.ts";

const [command, ...rest] = process.argv.slice(2);
process.exitCode = command === "setup" ? setUp(rest) : await runProgram(process.argv.slice(2));
