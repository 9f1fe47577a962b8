import { type ChangedServersFile, discoverServers } from "@jackfield/mcp-config";
import { isMcpError, McpError } from "@jackfield/mcp-core";
import type { CommandArguments } from "./arguments.ts";
import type { CommandResult } from "./command-result.ts";
import { placeOf, printableName, withLines } from "./lines.ts";
import { changedText, changeFile } from "./servers-file.ts";
import { didYouMean } from "./wrong-usage.ts";

type ChangeArguments = CommandArguments & { readonly command: "remove" | "enable" | "disable" };

const DONE = { remove: "Removed", enable: "Switched on", disable: "Switched off" } as const;

/**
 * Removes or switches a server: in the file that is named, else in the project's `.mcp.json` or your own `mcp.json`, whichever has it.
 *
 * @throws McpError `MCP_SERVER_UNKNOWN` with the file that has it, or with names like it, and as `changeFile` does
 */
export async function change(args: ChangeArguments): Promise<CommandResult> {
  const { command: kind, server: name } = args;
  const changed = await changeFirst(args);
  const { file, host, entry, isChanged } = changed;
  const where = kind === "remove" ? "from" : "in";
  const done = isChanged
    ? `${DONE[kind]} ${printableName(name)} ${where}`
    : `${printableName(name)} was already ${kind === "enable" ? "on" : "off"} in`;
  return {
    json: { file, host, server: name, entry, changed: isChanged },
    text: changedText(done, { file, entry: isChanged ? entry : undefined }, ""),
    exitCode: 0,
  };
}

async function changeFirst(args: ChangeArguments): Promise<ChangedServersFile> {
  const { command: kind, server: name, to, inProject } = args;
  const isNamed = to !== undefined || inProject;
  const places = isNamed
    ? [args]
    : [
        { to, inProject: true },
        { to, inProject: false },
      ];
  for (const place of places) {
    try {
      return await changeFile({ kind, name }, place, args);
    } catch (error) {
      if (isNamed || !isMcpError(error, "MCP_SERVER_UNKNOWN")) throw error;
    }
  }
  throw await unknownServer(args);
}

async function unknownServer({ command, server: name, cwd, hosts }: ChangeArguments): Promise<McpError> {
  const { servers, blocked } = await discoverServers({ cwd, hosts });
  const all = [...servers, ...blocked.map(({ definition }) => definition)];
  const [found] = await withLines(all.filter((one) => one.name === name));
  const own = "your own mcp.json and the project's .mcp.json";
  const { definedIn } = found ?? {};
  const option = `--to ${definedIn?.host}${definedIn?.scope === "project" ? " --project" : ""}`;
  const hint =
    definedIn === undefined
      ? (didYouMean(
          name,
          all.map((one) => one.name),
        ) ?? '"jackfield config list" shows where servers are.')
      : `it stands in ${placeOf(definedIn)}: "jackfield ${command} ${name} ${option}" changes it there.`;
  const message = `No server in ${own} is called ${JSON.stringify(name)}; ${hint}`;
  return new McpError("MCP_SERVER_UNKNOWN", message, { server: name });
}
