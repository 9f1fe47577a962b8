import { wrapWords } from "./terminal.ts";

/** The help for one command. */
interface CommandHelp {
  /** The words after `jackfield`. */
  readonly usage: string;
  readonly does: string;
  /** Options of this command only. */
  readonly options?: readonly (readonly [option: string, means: string])[];
  /** The words after `jackfield`. */
  readonly example: string;
}

const COMMANDS = {
  status: {
    usage: "[status]",
    does: "Shows which servers are up, for how long, and why the others are not. The default command.",
    example: "status --config .mcp.json",
  },
  tools: {
    usage: "tools [SERVER]",
    does: "Lists the available tools, of all servers or of one. Exits with 1 if the named server failed.",
    options: [["--tokens", "add an estimate of the tokens that each tool costs a model"]],
    example: "tools github --tokens",
  },
  call: {
    usage: "call TOOL [JSON|-]",
    does: 'Calls a tool with JSON arguments; "-" reads them from standard input.',
    example: `call mcp__files__read_file '{"path":"README.md"}'`,
  },
  doctor: {
    usage: "doctor",
    does: "Starts every server and reports what is wrong or could be better, and what to do about it.",
    example: "doctor --hosts all",
  },
  init: {
    usage: "init",
    does: "Writes a .mcp.json with a server for the files of this folder, or with the servers of --mcp-server, and approves it.",
    options: [["--force", "replace an existing file"]],
    example: `init --mcp-server web='{"url":"https://example.com/mcp"}'`,
  },
  types: {
    usage: "types",
    does: "Writes TypeScript types for the arguments and results of all tools in the catalog. Starts no server.",
    options: [["--out FILE", "the file to write; default: mcp-tools.d.ts"]],
    example: "types --out src/mcp-tools.d.ts",
  },
  verify: {
    usage: "verify",
    does: "Compares servers and their tools with mcp.lock. Exits with 1 if they differ.",
    options: [
      ["--write", "write the file instead of comparing"],
      ["--lock FILE", "the lock file; default: mcp.lock"],
    ],
    example: "verify --write",
  },
  approve: {
    usage: "approve [NAME]",
    does: "Shows the servers of this project that nobody has approved, and asks about each.",
    options: [["--yes", "approve the named server without asking"]],
    example: "approve github",
  },
  config: {
    usage: "config list | config parse FILE…",
    does: 'Lists every definition that was found and says which are used; or parses one file, with further files as weaker layers. With --json, "config parse" prints values as written, which may be secret. Starts no server.',
    options: [["--host HOST", 'the host whose format the files of "config parse" have']],
    example: "config parse --host cursor ~/.cursor/mcp.json",
  },
  cache: {
    usage: "cache list | cache clear [NAME] | cache path",
    does: "Lists what the catalog remembers, deletes it, or prints where it is stored. Starts no server.",
    example: "cache clear github",
  },
  login: {
    usage: "login NAME",
    does: "Logs in to a remote server with OAuth in the browser, and stores the login for later runs.",
    options: [
      ["--no-browser", "print the address of the login page instead of opening it"],
      ["--scope SCOPES", "ask for these scopes as well"],
    ],
    example: "login linear",
  },
  logout: {
    usage: "logout NAME",
    does: "Deletes the stored login to a server from this machine.",
    example: "logout linear",
  },
} as const satisfies { readonly [command: string]: CommandHelp };

/** The commands, in the order in which help lists them. */
export const COMMAND_NAMES = Object.keys(COMMANDS) as readonly (keyof typeof COMMANDS)[];

const COMMON_OPTIONS = [
  ["--config FILE", 'a file with "mcpServers"; may be repeated, the first takes precedence'],
  ["--mcp-server NAME=JSON", "a server given here; takes precedence over files; may be repeated"],
  ["--cwd DIR", "the folder to work in: for relative paths and for finding the project"],
  ["--hosts LIST", "the hosts whose files are read, for example claude-code,cursor; or all"],
  ["--no-discover", "read only the files that are named"],
  ["--cache DIR", "the folder of the catalog of tools"],
  ["--json", "print one JSON document on standard output, everything else on standard error"],
  ["--verbose", "log to standard error what the runtime does"],
  ["--help", "show this help, or with a command the help for it"],
  ["--version", "show the version"],
] as const;

const EXIT_CODES = [
  ["0", "success"],
  ["1", "a server is not up, a check failed, or the command could not be carried out"],
  ["2", "the tool returned an error"],
] as const;

/** The options that a command takes; common ones come last. */
export function optionsOf(command: keyof typeof COMMANDS): readonly string[] {
  const { options = [] }: CommandHelp = COMMANDS[command];
  return [...options, ...COMMON_OPTIONS].map(([option]) => option.replace(/ .*/, ""));
}

/** The help for one command, or for all if the word names none. */
export function helpOn(command: string | undefined): string {
  const name = COMMAND_NAMES.find((known) => known === command);
  return name === undefined ? helpOnAll() : helpOnOne(COMMANDS[name]);
}

function helpOnAll(): string {
  const commands = COMMAND_NAMES.map((name): readonly [string, string] => [
    COMMANDS[name].usage,
    COMMANDS[name].does,
  ]);
  return `jackfield: manage your MCP servers from the command line

Usage: jackfield [command] [options]

Commands
${lines(commands)}
Options
${lines(COMMON_OPTIONS)}
Exit codes
${lines(EXIT_CODES)}
Examples
  jackfield --config .mcp.json
  jackfield ${COMMANDS.tools.example}
  jackfield ${COMMANDS.call.example}
`;
}

function helpOnOne({ usage, does, options = [], example }: CommandHelp): string {
  const own = options.length === 0 ? "" : `\nOptions\n${lines(options)}`;
  return `${wrapWords(does, COLUMNS, lengthOf).join("\n")}

Usage: jackfield ${usage} [options]
${own}
Options of every command
${lines(COMMON_OPTIONS)}
Exit codes
${lines(EXIT_CODES)}
Example
  jackfield ${example}
`;
}

const COLUMNS = 80;
const LABEL_COLUMNS = 25;

/** Help texts are ASCII, so measuring them needs no module. */
function lengthOf(text: string): number {
  return text.length;
}

/** A label and what it means, wrapped to fit any terminal; a long label has a line of its own. */
function lines(rows: readonly (readonly [label: string, means: string])[]): string {
  return rows.map(([label, means]) => row(label, means)).join("");
}

function row(label: string, means: string): string {
  const parts = wrapWords(means, COLUMNS - LABEL_COLUMNS, lengthOf);
  const isLong = label.length + 4 > LABEL_COLUMNS;
  const head = isLong ? `  ${label}` : `  ${label}`.padEnd(LABEL_COLUMNS) + (parts[0] ?? "");
  const rest = parts.slice(isLong ? 0 : 1).map((part) => " ".repeat(LABEL_COLUMNS) + part);
  return [head, ...rest].map((line) => `${line}\n`).join("");
}
