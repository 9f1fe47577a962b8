import { wrapWords } from "./terminal.ts";

/** What a person should know of one command. */
interface CommandHelp {
  /** The words after `jackfield`. */
  readonly usage: string;
  readonly does: string;
  /** What only this command takes. */
  readonly options?: readonly (readonly [option: string, means: string])[];
  /** The words after `jackfield`. */
  readonly example: string;
}

const COMMANDS = {
  status: {
    usage: "[status]",
    does: "Which servers are up, for how long, and why the others are not; what is done without a command.",
    example: "status --config .mcp.json",
  },
  tools: {
    usage: "tools [SERVER]",
    does: "The tools on offer; exits with 1 if the server that is named has failed.",
    options: [["--tokens", "adds an estimate of what each costs a model"]],
    example: "tools github --tokens",
  },
  call: {
    usage: "call TOOL [JSON|-]",
    does: 'Calls a tool; "-" reads the arguments from standard input.',
    example: `call mcp__files__read_file '{"path":"README.md"}'`,
  },
  doctor: {
    usage: "doctor",
    does: "Starts every server and says what is wrong or could be better, each with the next step.",
    example: "doctor --hosts all",
  },
  init: {
    usage: "init",
    does: "Writes a first .mcp.json with a server for this folder's files, or with those of --mcp-server, and approves it.",
    options: [["--force", "replaces a file that is there"]],
    example: `init --mcp-server web='{"url":"https://example.com/mcp"}'`,
  },
  types: {
    usage: "types",
    does: "Writes what all tools take and answer as TypeScript, from the catalog; no server is started.",
    options: [["--out FILE", "where to; default mcp-tools.d.ts"]],
    example: "types --out src/mcp-tools.d.ts",
  },
  verify: {
    usage: "verify",
    does: "Compares servers and tools with mcp.lock.",
    options: [
      ["--write", "makes the file anew instead"],
      ["--lock FILE", "names another file"],
    ],
    example: "verify --write",
  },
  approve: {
    usage: "approve [NAME]",
    does: "Shows what a project brings and nobody has approved, and asks about each.",
    options: [["--yes", "approves what is named without asking"]],
    example: "approve github",
  },
  config: {
    usage: "config list | config parse FILE…",
    does: "Every definition that is found and which of them count, or one file, values as written; further files are weaker layers. Nothing is started.",
    options: [["--host HOST", 'whose dialect the file of "config parse" is in']],
    example: "config parse --host cursor ~/.cursor/mcp.json",
  },
  cache: {
    usage: "cache list | cache clear [NAME] | cache path",
    does: "What the catalog of tools knows, forgetting it, and where it is kept. No server is started.",
    example: "cache clear github",
  },
  login: {
    usage: "login NAME",
    does: "Logs in to a remote server in the browser (OAuth), and keeps the login for all later runs.",
    options: [
      ["--no-browser", "opens nothing, and only says where to log in"],
      ["--scope SCOPES", "asks for more than the server names"],
    ],
    example: "login linear",
  },
  logout: {
    usage: "logout NAME",
    does: "Forgets the login to a server on this machine.",
    example: "logout linear",
  },
} as const satisfies { readonly [command: string]: CommandHelp };

/** A command that does something, in the order in which help lists them. */
export const COMMAND_NAMES = Object.keys(COMMANDS) as readonly (keyof typeof COMMANDS)[];

const COMMON_OPTIONS = [
  ["--config FILE", 'a file in the "mcpServers" form; may be repeated, the first is the strongest'],
  ["--mcp-server NAME=JSON", "a server given here; beats the files; may be repeated"],
  ["--cwd DIR", "what relative paths are relative to, and where projects are looked for"],
  ["--hosts LIST", "whose files are read, for example claude-code,cursor; or all"],
  ["--no-discover", "looks for no files beside those named"],
  ["--cache DIR", "where the catalog of tools is kept"],
  ["--json", "one JSON document on standard output, everything else on standard error"],
  ["--verbose", "says on standard error what the runtime does"],
  ["--help", "this, or with a command what there is to know of it"],
  ["--version", "the version"],
] as const;

const EXIT_CODES = [
  ["0", "all is well"],
  ["1", "something is not up, is not as it should be, or could not be done"],
  ["2", "the tool answered with an error"],
] as const;

/** The options that a command takes, those of every command last. */
export function optionsOf(command: keyof typeof COMMANDS): readonly string[] {
  const { options = [] }: CommandHelp = COMMANDS[command];
  return [...options, ...COMMON_OPTIONS].map(([option]) => option.replace(/ .*/, ""));
}

/** The help of one command, or of all for a word that names none. */
export function helpOn(command: string | undefined): string {
  const name = COMMAND_NAMES.find((known) => known === command);
  return name === undefined ? helpOnAll() : helpOnOne(COMMANDS[name]);
}

function helpOnAll(): string {
  const commands = COMMAND_NAMES.map((name): readonly [string, string] => [
    COMMANDS[name].usage,
    COMMANDS[name].does,
  ]);
  return `jackfield: the MCP servers you have, from the command line

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

/** What is said here is ASCII, so nothing needs to be loaded to know how wide it is. */
function lengthOf(text: string): number {
  return text.length;
}

/** A label and what it means, broken so that it fits any terminal; a long label has a line of its own. */
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
