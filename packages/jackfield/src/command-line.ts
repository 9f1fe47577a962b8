export { keepCompiledModules, runCommandLine } from "./run-command-line.ts";
