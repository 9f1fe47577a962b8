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

const TIMEOUT = ["--timeout TIME", "how long to wait: 30s, 2m, or a number of milliseconds"] as const;

/** The hosts whose files `add` and its like change. */
export const WRITABLE_HOSTS: readonly string[] = [
  ...["jackfield", "claude-code", "claude-desktop", "cursor", "vscode", "codex", "gemini"],
] as const;

const PLACES = [
  ["--to HOST", `change that host's file: ${WRITABLE_HOSTS.slice(1).join(", ")}`],
  ["--project", "change the file of the project, such as .mcp.json"],
] as const;
const FOLLOW = ["-f, --follow", "go on until Ctrl+C"] as const;

const COMMANDS = {
  status: {
    usage: "[status] [SERVER]",
    does: "Shows which servers are up, and what each of the others needs. The default command.",
    options: [TIMEOUT],
    example: "status github",
  },
  tools: {
    usage: "tools [SERVER]",
    does: "Lists tools with what they take and return, of all servers or of one, which may be an address or a command.",
    options: [
      ["--search TEXT", "only tools that the text means, best first: a name, keywords or a task"],
      ["--tokens", "add an estimate of the tokens that each tool costs a model"],
      TIMEOUT,
    ],
    example: "tools --search screenshot",
  },
  call: {
    usage: "call TOOL [KEY=VALUE|KEY:=JSON|JSON|@FILE|-]…",
    does: 'Calls a tool, for example SERVER.TOOL, and starts only its server. KEY=VALUE is a text, or what the tool takes; KEY:=JSON is any value; "-" reads JSON from standard input, @FILE from a file. "call TOOL --help" explains the tool.',
    options: [TIMEOUT],
    example: "call files.read_file path=README.md",
  },
  resources: {
    usage: "resources [SERVER]",
    does: "Lists the resources of all servers or of one, and the templates of their addresses.",
    options: [TIMEOUT],
    example: "resources docs",
  },
  read: {
    usage: "read SERVER URI",
    does: "Prints a resource.",
    options: [TIMEOUT],
    example: "read docs docs://intro",
  },
  prompts: {
    usage: "prompts [SERVER]",
    does: "Lists the prompts of all servers or of one, with what they take.",
    options: [TIMEOUT],
    example: "prompts github",
  },
  prompt: {
    usage: "prompt SERVER.PROMPT [KEY=VALUE]…",
    does: "Prints a prompt with these arguments filled in.",
    options: [TIMEOUT],
    example: "prompt github.review number=12",
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
  approve: {
    usage: "approve [NAME]",
    does: "Shows the servers of this project that nobody has approved, and asks about each.",
    options: [["--yes", "approve the named server without asking"]],
    example: "approve github",
  },
  doctor: {
    usage: "doctor",
    does: "Starts every server and reports what is wrong or could be better, and what to do about it.",
    options: [TIMEOUT],
    example: "doctor --hosts cursor",
  },
  init: {
    usage: "init",
    does: "Writes a .mcp.json with a server for the files of this folder, or with the servers of --mcp-server, and approves it.",
    options: [["--force", "replace an existing file"]],
    example: `init --mcp-server web='{"url":"https://example.com/mcp"}'`,
  },
  add: {
    usage: "add NAME URL | add NAME -- COMMAND [ARGUMENT]…",
    does: 'Adds a server to your own mcp.json, or to the file of a host, and keeps the comments in it. What stands behind "--" is the command.',
    options: [
      ...PLACES,
      ["--env NAME[=VALUE]", "a variable of the program; without a value, the entry refers to yours"],
      ["--header NAME=VALUE", "a header that is sent with every request"],
      ["--force", "replace an entry of that name"],
    ],
    example: "add github https://api.githubcopilot.com/mcp/",
  },
  remove: {
    usage: "remove NAME",
    does: "Removes a server from your own mcp.json or the project's .mcp.json.",
    options: PLACES,
    example: "remove github --to cursor",
  },
  enable: {
    usage: "enable NAME",
    does: "Switches a server on in your own mcp.json or the project's .mcp.json.",
    options: PLACES,
    example: "enable github",
  },
  disable: {
    usage: "disable NAME",
    does: "Switches a server off in your own mcp.json or the project's .mcp.json. Its entry stays.",
    options: PLACES,
    example: "disable github",
  },
  logs: {
    usage: "logs NAME",
    does: "Starts a server and prints its standard error and its log messages.",
    options: [FOLLOW, TIMEOUT],
    example: "logs github -f",
  },
  tap: {
    usage: "tap NAME",
    does: "Starts a server and prints the messages of the protocol in both directions, with credentials hidden.",
    options: [FOLLOW, TIMEOUT],
    example: "tap github",
  },
  completion: {
    usage: "completion bash|zsh|fish",
    does: "Prints a script that completes commands, options, servers and tools in this shell.",
    example: "completion bash",
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
} as const satisfies { readonly [command: string]: CommandHelp };

export type CommandName = keyof typeof COMMANDS;

/** The commands, in the order in which help lists them. */
export const COMMAND_NAMES = Object.keys(COMMANDS) as readonly CommandName[];

const COMMON_OPTIONS = [
  ["--config FILE", 'a file with "mcpServers"; may be repeated, the first takes precedence'],
  ["--mcp-server NAME=JSON", "a server given here; takes precedence over files; may be repeated"],
  ["--cwd DIR", "the folder to work in: for relative paths and for finding the project"],
  ["--hosts LIST", "the hosts whose files are read, for example claude-code,cursor; default: all"],
  ["--no-discover", "read only the files that are named"],
  ["--max-file-bytes N", "read no file that is larger; default: 16 MiB"],
  ["--input NAME=VALUE", "the answer to an input of an entry; repeated with one name, several answers"],
  [
    "--var NAME",
    "a variable or input that entries of the project may read besides what they were approved with",
  ],
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
  ["64", "the command line could not be understood"],
] as const;

/** The options that a command takes; common ones come last. */
export function optionsOf(command: CommandName): readonly string[] {
  const { options = [] }: CommandHelp = COMMANDS[command];
  return [...options, ...COMMON_OPTIONS].map(([option]) => option.replace(/^-\w, /, "").replace(/ .*/, ""));
}

/** What a command does, as one sentence. */
function purposeOf(command: CommandName): string {
  return COMMANDS[command].does.replace(/(?<=\.) .*/s, "");
}

/** The help for one command, or for all if the word names none. */
export function helpOn(command: string | undefined): string {
  const name = COMMAND_NAMES.find((known) => known === command);
  return name === undefined ? helpOnAll() : helpOnOne(COMMANDS[name]);
}

function helpOnAll(): string {
  const commands = COMMAND_NAMES.map((name): readonly [string, string] => [
    COMMANDS[name].usage,
    purposeOf(name),
  ]);
  return `jackfield: your MCP servers from the command line

Usage: jackfield [command] [options]

Commands
${lines(commands)}
Options
${lines(COMMON_OPTIONS)}
Exit codes
${lines(EXIT_CODES)}
Examples
  jackfield
  jackfield ${COMMANDS.tools.example}
  jackfield ${COMMANDS.call.example}
  jackfield tools https://mcp.example.com/mcp
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

/** Help texts are nearly ASCII, so measuring them needs no module. */
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
