export { keepCompiledModules } from "./command-line/compiled-modules.ts";
export { runCommandLine } from "./run-command-line.ts";
