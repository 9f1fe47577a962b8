import { HOST_IDS } from "@jackfield/mcp-config";
import { silentLogger } from "@jackfield/mcp-core";
import type { Mcp } from "../mcp.ts";
import { openMcp } from "../open-mcp.ts";
import type { CommandArguments } from "./arguments.ts";
import type { CommandResult } from "./command-result.ts";
import { COMMAND_NAMES, type CommandName, optionsOf, WRITABLE_HOSTS } from "./help.ts";
import { runtimeOptions } from "./opened-runtime.ts";
import { argumentsOf } from "./schema-type.ts";
import { printable } from "./terminal.ts";
import { callName } from "./tool-reference.ts";
import { UsageError } from "./wrong-usage.ts";

type CompletionArguments = CommandArguments & { readonly command: "completion" };

/** Each asks this program for the words that may stand at the cursor, and offers files where there are none. */
const SCRIPTS: { readonly [shell: string]: string } = {
  bash: `_jackfield() {
  local word=\${COMP_WORDS[COMP_CWORD]} found
  mapfile -t found < <(jackfield completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=()
  for one in "\${found[@]}"; do [[ $one == "$word"* ]] && COMPREPLY+=("$one"); done
  [[ \${#COMPREPLY[@]} == 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _jackfield jackfield
`,
  zsh: `#compdef jackfield
_jackfield() {
  local -a found
  found=("\${(@f)$(jackfield completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=(\${found:#})
  (( $#found )) || { _files; return }
  compadd -S '' -- \${(M)found:#*=}
  compadd -- \${found:#*=}
}
if [[ $funcstack[1] == _jackfield ]]; then _jackfield "$@"; else compdef _jackfield jackfield; fi
`,
  fish: `function __jackfield_find
  set -g __jackfield_found (jackfield completion words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  count $__jackfield_found >/dev/null
end
complete -c jackfield -f -n __jackfield_find -a '$__jackfield_found'
`,
};

/**
 * The script that completes command lines in a shell; for `words`, what may stand in place of the last of the typed words. Starts no
 * server: tools are those that the catalog knows.
 *
 * @throws UsageError for another shell
 */
export async function complete(args: CompletionArguments, signal: AbortSignal): Promise<CommandResult> {
  const { shell, typed } = args;
  if (shell === "words") {
    const words = await wordsFor(typed, args, signal);
    return { json: { words }, text: words.map((word) => `${printable(word)}\n`).join(""), exitCode: 0 };
  }
  const script = SCRIPTS[shell];
  if (script === undefined) throw new UsageError('"completion" needs bash, zsh or fish.');
  return { json: { script }, text: script, exitCode: 0 };
}

const OF_SERVERS: readonly string[] = [
  ...["status", "tools", "login", "logout", "approve", "resources", "read", "prompts", "logs", "tap"],
  ...["remove", "enable", "disable"],
];

const WORDS: { readonly [command: string]: readonly string[] } = {
  config: ["list", "parse"],
  cache: ["list", "clear", "path"],
  completion: ["bash", "zsh", "fish"],
  help: COMMAND_NAMES,
};

async function wordsFor(
  typed: readonly string[],
  args: CompletionArguments,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const before = typed.slice(0, -1);
  const word = typed.at(-1) ?? "";
  const last = before.at(-1);
  if (last === "--hosts" || last === "--host") return HOST_IDS;
  if (last === "--to") return WRITABLE_HOSTS;
  const [command, ...given] = before.filter((one) => !one.startsWith("-"));
  const name = COMMAND_NAMES.find((one) => one === command);
  if (word.startsWith("-")) return optionsOf(name ?? "status");
  if (command === undefined) return [...COMMAND_NAMES, "help"];
  const [first] = given;
  if (first === undefined && WORDS[command] !== undefined) return WORDS[command];
  if (name === undefined || !asksServers(name, first)) return [];
  const startup = { lazy: true };
  await using mcp = await openMcp({ ...runtimeOptions(args), startup, log: silentLogger, signal });
  if (command !== "call") return serversOf(mcp);
  if (first === undefined) return mcp.tools().map(callName);
  const tool = mcp.tools().find((one) => callName(one) === first);
  return argumentsOf(tool?.definition.inputSchema ?? {})
    .map((argument) => `${argument.name}=`)
    .filter((argument) => !given.some((one) => one.startsWith(argument)));
}

function asksServers(command: CommandName, first: string | undefined): boolean {
  return command === "call" || (first === undefined && OF_SERVERS.includes(command));
}

function serversOf(mcp: Pick<Mcp, "servers" | "report">): readonly string[] {
  return [...new Set([...mcp.servers(), ...mcp.report.blocked].map(({ name }) => name))];
}
