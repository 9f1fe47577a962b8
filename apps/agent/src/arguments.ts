import { parseArgs } from "node:util";
import { FRAMEWORK_NAMES, type FrameworkName } from "./frameworks/load-framework.ts";

/** What the command line asks for. */
export interface AgentArguments {
  readonly framework: FrameworkName;
  readonly model?: string | undefined;
  /** More servers, from files in any known host's format. */
  readonly configFiles: readonly string[];
  /** Use the person's own servers instead of the demo's. */
  readonly discover: boolean;
  /** The hosts whose files are read for them; `undefined` for Jackfield's own files. */
  readonly hosts?: readonly string[] | "all" | undefined;
  /** Let the model search for tools, however few there are. */
  readonly search: boolean;
  /** A single message; the program ends with the answer. */
  readonly once?: string | undefined;
  /** Play the scripted conversation even in a terminal. */
  readonly script: boolean;
}

export type ParsedArguments =
  | { readonly kind: "run"; readonly arguments: AgentArguments }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly message: string };

/** Printed by `--help`. */
export const USAGE = `Usage: agent [options]

A terminal agent with MCP tools. In a terminal it is a chat; without one it plays a scripted conversation and exits with 0
only if every answer was right. With neither OPENAI_API_KEY nor OPENAI_BASE_URL, an offline stand-in replaces the model.

  --framework NAME  ${FRAMEWORK_NAMES.join(" (default) or ")}
  --model NAME      the model to ask for; needs OPENAI_API_KEY or OPENAI_BASE_URL
  --config FILE     more MCP servers; repeatable
  --discover        your own servers in place of the demo's: this project's .mcp.json and your mcp.json
  --hosts LIST      with --discover: the files of these programs too, such as cursor,vscode; or all
  --search          the model is offered a search in place of all tools
  --once TEXT       say one thing, print the answer and exit; calls are made without asking
  --script          play the scripted conversation even in a terminal
  --help            print this
`;

const OPTIONS = {
  framework: { type: "string" },
  model: { type: "string" },
  config: { type: "string", multiple: true },
  discover: { type: "boolean" },
  hosts: { type: "string" },
  search: { type: "boolean" },
  once: { type: "string" },
  script: { type: "boolean" },
  help: { type: "boolean" },
} as const;

/** Reads the command line, without the program's own name. Never throws. */
export function parseArguments(argv: readonly string[]): ParsedArguments {
  try {
    const { values } = parseArgs({ args: [...argv], options: OPTIONS, strict: true });
    if (values.help === true) return { kind: "help" };
    const { framework = FRAMEWORK_NAMES[0], model, config = [], once, script = false } = values;
    const { discover = false, hosts, search = false } = values;
    if (!isFrameworkName(framework)) {
      const message = `There is no framework "${framework}"; use ${FRAMEWORK_NAMES.join(" or ")}.`;
      return { kind: "wrong", message };
    }
    if (once?.trim() === "") return { kind: "wrong", message: "--once needs a text." };
    if (once !== undefined && script) {
      return { kind: "wrong", message: "--once and --script cannot be used together." };
    }
    if (hosts !== undefined && !discover) {
      return { kind: "wrong", message: "--hosts says where --discover looks; use it with --discover." };
    }
    const sources = {
      configFiles: config,
      discover,
      hosts: readHosts(hosts),
    };
    return { kind: "run", arguments: { framework, model, ...sources, search, once, script } };
  } catch (error) {
    return { kind: "wrong", message: error instanceof Error ? error.message : String(error) };
  }
}

function readHosts(list: string | undefined): AgentArguments["hosts"] {
  return list === undefined || list === "all" ? list : list.split(",").map((host) => host.trim());
}

function isFrameworkName(name: string): name is FrameworkName {
  return FRAMEWORK_NAMES.some((known) => known === name);
}
