import { runCommandLine } from "jackfield/command-line";
import { demoFolder } from "./demo-folder.ts";
import { demoServers } from "./demo-servers.ts";

/** Options that say which servers are meant. */
const SOURCES = ["--config", "--mcp-server", "--cwd"];

/**
 * The `jackfield` command as it works in this repository: with the demo servers over stdio, unless the command line names
 * others. The published command has no such default.
 *
 * @returns the exit code
 */
export async function runDemoCommandLine(argv: readonly string[]): Promise<number> {
  return runCommandLine(namesServers(argv) ? argv : [...argv, ...(await demoArguments())]);
}

/** Whether a command line says itself which servers are meant. */
export function namesServers(argv: readonly string[]): boolean {
  return argv.some((word) => SOURCES.some((option) => word === option || word.startsWith(`${option}=`)));
}

async function demoArguments(): Promise<readonly string[]> {
  const servers = Object.entries(demoServers({ folder: await demoFolder() }));
  return servers.flatMap(([name, entry]) => ["--mcp-server", `${name}=${JSON.stringify(entry)}`]);
}
